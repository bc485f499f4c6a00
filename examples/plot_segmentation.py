"""
An image segmented by pixels
============================

Every pixel is a row: its color and its place. 273,280 rows of five features take some seconds.
"""

# %%
# The color of a pixel is its lightness and two color differences. Its place has a smaller weight,
# which is enough to make segments coherent.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

from lsec import LSEC

image = load_sample_image("china.jpg") / 255.0
height, width, _ = image.shape
red, green, blue = np.moveaxis(image, 2, 0)
lightness, red_green, yellow_blue = (red + green + blue) / 3, red - green, (red + green) / 2 - blue
rows, columns = np.mgrid[:height, :width] / width
features = [lightness, 2 * red_green, 2 * yellow_blue, 0.5 * rows, 0.5 * columns]
X = np.stack(features, axis=2).reshape(-1, 5).astype(np.float32)

model = LSEC(n_clusters=8, n_landmarks=1000, random_state=0).fit(X)
print(f"{len(X)} pixels in {sum(model.timings_.values()):.1f} s")

# %%
# Each segment in its mean color, and the segments of a coarser and a finer layer of the same fit.


def painted(labels):
    """Every pixel in the mean color of its segment."""
    colors = image.reshape(-1, 3)
    sizes = np.bincount(labels)
    means = [np.bincount(labels, channel) / sizes for channel in colors.T]
    return np.stack(means, axis=1)[labels].reshape(image.shape)


figure, axes = plt.subplots(2, 2, figsize=(11, 7.6), layout="constrained")
axes[0, 0].imshow(image)
axes[0, 0].set_title("the picture")
for ax, k in zip(axes.flat[1:], (4, 8, 16), strict=True):
    ax.imshow(painted(model.labels_at(k)))
    ax.set_title(f"{k} segments")
for ax in axes.flat:
    ax.axis("off")

# %%
# Low confidence follows the borders of the segments.

figure, ax = plt.subplots(figsize=(8, 5), layout="constrained")
shown = ax.imshow(model.confidence_.reshape(height, width), cmap="cividis")
figure.colorbar(shown, label="confidence")
ax.axis("off")
