// The map: points by WebGL. The color of a point is that of its value in a palette, so that other
// clusters or colors are a new palette, not new points.

const VERTEX = `#version 300 es
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in uint value;
layout(location = 3) in uint chosen;
uniform vec2 scale, shift;
uniform float size;
uniform bool choosing;
uniform sampler2D palette;
out vec4 color;
void main() {
  color = texelFetch(palette, ivec2(int(value) & 255, int(value) >> 8), 0);
  if (choosing && chosen == 0u) color.a *= 0.08;
  gl_Position = vec4(vec2(x, y) * scale + shift, 0.0, 1.0);
  gl_PointSize = size;
}`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform bool round;
in vec4 color;
out vec4 pixel;
void main() {
  if (round && length(gl_PointCoord - 0.5) > 0.5) discard;
  pixel = vec4(color.rgb * color.a, color.a);
}`;
const PALETTE_WIDTH = 256;
const MOST_STRETCH = 5; // of one axis against the other, before each has its own scale
const MARGIN = 0.06;
const MOST_MOVING = 200_000; // points drawn while the view moves; all of them when it rests
const RESTS_AFTER = 150; // milliseconds

class PointMap {
  constructor(canvas, x, y) {
    this.canvas = canvas;
    this.x = x;
    this.y = y;
    this.center = [0.5, 0.5];
    this.zoom = 1;
    this.choosing = false;
    this.hasValues = false;
    const gl = this.gl = contextOf(canvas);
    this.program = link(gl);
    gl.useProgram(this.program);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.clearColor(1, 1, 1, 1);
    attribute(gl, 0, x, (type) => gl.vertexAttribPointer(0, 1, type, true, 0, 0));
    attribute(gl, 1, y, (type) => gl.vertexAttribPointer(1, 1, type, true, 0, 0));
    this.chosen = attribute(gl, 3, new Uint8Array(x.length), integers(gl, 3));
    this.values = gl.createBuffer();
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, scattered(x.length), gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const [name, value] of [
      [gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
      [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
    ]) gl.texParameteri(gl.TEXTURE_2D, name, value);
    new ResizeObserver(() => this.moved()).observe(canvas);
  }

  /** Color points by the values of a column. */
  setValues(values) {
    attribute(this.gl, 2, values, integers(this.gl, 2), this.values);
    this.hasValues = true;
    this.redraw();
  }

  /** Set the color (red, green, blue, opacity in 0 .. 255) of every value. */
  setPalette(colors) {
    const gl = this.gl, height = Math.ceil(colors.length / PALETTE_WIDTH);
    const texels = new Uint8Array(4 * PALETTE_WIDTH * height);
    colors.forEach((color, i) => texels.set(color, 4 * i));
    gl.texImage2D(
      gl.TEXTURE_2D, 0, gl.RGBA8, PALETTE_WIDTH, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels,
    );
    this.redraw();
  }

  /** Pale all points but those that are marked; null chooses all. */
  choose(marks) {
    this.choosing = marks !== null;
    if (marks) attribute(this.gl, 3, marks, integers(this.gl, 3), this.chosen);
    this.redraw();
  }

  moved() {
    this.canvas.dispatchEvent(new Event("moved"));
    clearTimeout(this.resting);
    if (this.x.length > MOST_MOVING) {
      this.resting = setTimeout(() => {
        this.resting = undefined;
        this.redraw();
      }, RESTS_AFTER);
    }
    this.redraw();
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.draw();
    });
  }

  draw() {
    const { gl, canvas, program } = this;
    if (!this.hasValues) return;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
    canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [sx, sy] = this.pixelsPerUnit().map((s) => 2 * s * ratio);
    const scale = [sx / canvas.width, sy / canvas.height];
    const size = this.pointSize() * ratio;
    const at = (name) => gl.getUniformLocation(program, name);
    gl.uniform2f(at("scale"), ...scale);
    gl.uniform2f(at("shift"), -this.center[0] * scale[0], -this.center[1] * scale[1]);
    gl.uniform1f(at("size"), size);
    gl.uniform1i(at("round"), size > 2.5);
    gl.uniform1i(at("choosing"), this.choosing);
    const n = this.resting === undefined ? this.x.length : MOST_MOVING;
    gl.drawElements(gl.POINTS, n, gl.UNSIGNED_INT, 0); // the first ones lie everywhere
    if (n === this.x.length) performance.mark("all points");
    canvas.dispatchEvent(new Event("drawn"));
  }

  /** Pixels that a coordinate from its lowest to its highest value takes. */
  pixelsPerUnit() {
    const w = this.canvas.clientWidth * (1 - MARGIN), h = this.canvas.clientHeight * (1 - MARGIN);
    const [dx, dy] = facts.high.map((high, i) => high - facts.low[i] || 1);
    if (Math.max(dx / dy, dy / dx) > MOST_STRETCH) return [w * this.zoom, h * this.zoom];
    const scale = this.zoom * Math.min(w / dx, h / dy);
    return [dx * scale, dy * scale];
  }

  pointSize() {
    const area = this.canvas.clientWidth * this.canvas.clientHeight;
    const size = 0.5 * Math.sqrt(area / this.x.length) * Math.sqrt(this.zoom);
    return Math.min(Math.max(size, 1), 9);
  }

  /** Coordinates, from 0 to 1, of a place on the canvas, in pixels. */
  unitsAt(px, py) {
    const [sx, sy] = this.pixelsPerUnit();
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return [this.center[0] + (px - w / 2) / sx, this.center[1] - (py - h / 2) / sy];
  }

  /** Place of a point on the canvas, in pixels. */
  pixelsAt(i) {
    const [sx, sy] = this.pixelsPerUnit();
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const { center, x, y } = this;
    return [w / 2 + (x[i] / 65535 - center[0]) * sx, h / 2 - (y[i] / 65535 - center[1]) * sy];
  }

  /** Move the view, closer if it shows all, so that a point is in its middle. */
  lookAt(i) {
    this.center = [this.x[i] / 65535, this.y[i] / 65535];
    this.zoom = Math.max(this.zoom, 3);
    this.moved();
  }

  zoomBy(factor, px = this.canvas.clientWidth / 2, py = this.canvas.clientHeight / 2) {
    const before = this.unitsAt(px, py);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.5), 5000);
    const after = this.unitsAt(px, py);
    this.center = this.center.map((c, i) => c + before[i] - after[i]);
    this.moved();
  }

  moveBy(px, py) {
    const [sx, sy] = this.pixelsPerUnit();
    this.center = [this.center[0] - px / sx, this.center[1] + py / sy];
    this.moved();
  }

  showAll() {
    this.center = [0.5, 0.5];
    this.zoom = 1;
    this.moved();
  }

  /** The point nearest to a place on the canvas, at most `reach` pixels away, or -1. */
  nearest(px, py, reach = 8) {
    const [ux, uy] = this.unitsAt(px, py).map((u) => u * 65535);
    const [sx, sy] = this.pixelsPerUnit().map((s) => s / 65535);
    let best = reach * reach, found = -1;
    for (let i = 0; i < this.x.length; i++) {
      const dx = (this.x[i] - ux) * sx, dy = (this.y[i] - uy) * sy, d = dx * dx + dy * dy;
      if (d < best) { best = d; found = i; }
    }
    return found;
  }
}

function contextOf(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: false });
  if (!gl) throw new Error("This page needs WebGL 2, which this browser does not offer.");
  return gl;
}

function link(gl) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
  return program;
}

/** Fill a buffer with one value per point; `point(type)` says how the shader reads them. */
function attribute(gl, place, values, point, buffer = gl.createBuffer()) {
  const types = new Map([
    [Uint8Array, gl.UNSIGNED_BYTE], [Uint16Array, gl.UNSIGNED_SHORT],
  ]);
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
  gl.enableVertexAttribArray(place);
  point(types.get(values.constructor));
  return buffer;
}

function integers(gl, place) {
  return (type) => gl.vertexAttribIPointer(place, 1, type, 0, 0);
}

/** The numbers below n, each far from the one before: rows in an order would hide each other. */
function scattered(n) {
  let step = Math.max(1, Math.floor(n * 0.6180339887));
  while (gcd(step, n) > 1) step++;
  const order = new Uint32Array(n);
  for (let i = 0, at = 0; i < n; i++, at = (at + step) % n) order[i] = at;
  return order;
}

function gcd(a, b) {
  return b ? gcd(b, a % b) : a;
}
