"""What every command that fails must say."""


def failed_with(result, *words):
    """Whether a command ended with exit code 2 and one line on standard error."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    for word in words:
        assert word in result.stderr
