// Programs of the graphics card: solids with creases and outlines in ink, transparent faces, lines and dots.
//
// Lengths are in parts of the camera's radius, from the middle of the box. A body's pose is two texels: position, quaternion.

/** Bodies in one row of the texture of poses. */
export const ROW = 512;

const HEAD = `#version 300 es
precision highp float;
precision highp int;
`;

const POSE = `
uniform highp sampler2D u_poses;
uniform mat4 u_camera;
uniform float u_pixel; // length of a pixel of the page
uniform float u_least; // least thickness [pixels]: without smooth edges what is thinner falls apart
void pose(float body, out vec3 r, out vec4 q) {
  int k = int(body + 0.5);
  ivec2 at = ivec2(2 * (k % ${ROW}), k / ${ROW});
  r = texelFetch(u_poses, at, 0).xyz;
  q = texelFetch(u_poses, at + ivec2(1, 0), 0);
}
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
`;

// What all fragments do with a color: a run's own tint, the accent of what is selected, paleness of earlier poses.
const INK = `
uniform vec3 u_paper, u_accent;
uniform vec4 u_tint; // color, and its share
uniform float u_fade, u_selected;
uniform bool u_picking;
vec3 inked(vec3 color, float owner) {
  color = mix(color, u_tint.rgb, u_tint.a);
  return owner == u_selected ? mix(color, u_accent, 0.75) : color;
}
vec3 paled(vec3 color) { return mix(color, u_paper, 0.8 * u_fade); }
vec4 named(float owner) { // an owner as a color
  int k = int(owner + 1.5);
  return vec4(float(k & 255), float((k >> 8) & 255), float((k >> 16) & 255), 255.0) / 255.0;
}
`;

const SHADE = `
uniform bool u_dark;
vec3 shaded(vec3 color, vec3 normal) { // normal as the eye sees it: x to the right, y up, z to the eye
  float key = 0.5 + 0.5 * dot(normal, vec3(-0.40, 0.60, 0.693)), fill = 0.5 + 0.5 * dot(normal, vec3(0.8, -0.2, 0.566));
  float light = 0.82 * key + 0.18 * fill;
  if (u_dark) return mix(u_paper, color, 0.22 + 0.46 * light);
  return mix(color, vec3(1.0), 0.14 + 0.66 * light);
}
`;

/** Solids: unit shapes stretched along three axes, or meshes as they are. Outlines are the same, a little larger, seen from inside. */
const SOLID = {
  vertex: `${HEAD}${POSE}
layout(location = 0) in vec3 a_point;
layout(location = 1) in vec3 a_normal;
layout(location = 2) in vec3 a_center;
layout(location = 3) in vec3 a_x;
layout(location = 4) in vec3 a_y;
layout(location = 5) in vec3 a_z;
layout(location = 6) in vec4 a_color;
layout(location = 7) in vec2 a_tag; // body, owner
uniform mat3 u_axes; // ground to eye
uniform float u_grow; // how much larger an outline is
uniform int u_kind;
out vec3 v_normal, v_unit;
out float v_end; // whether it is an end of a tube
flat out vec3 v_reach;
flat out vec4 v_color;
flat out float v_owner;
void main() {
  vec3 r; vec4 q;
  pose(a_tag.x, r, q);
  vec3 reach = vec3(length(a_x), length(a_y), length(a_z));
  vec3 point = a_point * ((max(reach, 0.75 * u_least * u_pixel) + u_grow) / reach);
  vec3 local = a_center + a_x * point.x + a_y * point.y + a_z * point.z;
  vec3 normal = a_x * (a_normal.x / (reach.x * reach.x)) + a_y * (a_normal.y / (reach.y * reach.y)) + a_z * (a_normal.z / (reach.z * reach.z));
  if (u_kind == 3) local = a_center + a_point + u_grow * a_normal, normal = a_normal;
  v_normal = u_axes * turned(q, normal);
  v_unit = a_point;
  v_end = abs(a_normal.z);
  v_reach = reach;
  v_color = a_color;
  v_owner = a_tag.y;
  gl_Position = u_camera * vec4(r + turned(q, local), 1.0);
}`,
  fragment: `${HEAD}${INK}${SHADE}
uniform bool u_outline;
uniform float u_pixel, u_least, u_edge; // half the width of an edge [pixels]
uniform int u_kind; // 0 tube, 1 ball, 2 box, 3 mesh
in vec3 v_normal, v_unit;
in float v_end;
flat in vec3 v_reach;
flat in vec4 v_color;
flat in float v_owner;
out vec4 color;
float along(float away) { // how much of an edge is here, by the distance from it
  return 1.0 - smoothstep(u_edge - 0.5, u_edge + 0.5, away / max(fwidth(away), 1e-12));
}
float crease() {
  vec3 off = (1.0 - abs(v_unit)) * v_reach;
  if (u_kind == 0) return v_end > 0.5 ? along((1.0 - length(v_unit.xy)) * v_reach.x) : along(off.z);
  if (u_kind != 2) return 0.0;
  vec3 far = abs(v_unit);
  float most = max(far.x, max(far.y, far.z));
  if (far.x == most) return max(along(off.y), along(off.z));
  return far.y == most ? max(along(off.x), along(off.z)) : max(along(off.x), along(off.y));
}
void main() {
  if (u_picking) { color = named(v_owner); return; }
  vec3 ink = inked(v_color.rgb, v_owner);
  if (u_outline) { color = vec4(paled(ink), 1.0); return; }
  float small = min(v_reach.x, min(v_reach.y, v_reach.z)) / u_pixel; // thin things would be all edge
  vec3 normal = normalize(v_normal);
  if (u_kind == 3 && normal.z < 0.0) normal = -normal;
  vec3 face = shaded(ink, normal);
  if (u_least > 0.0) face = mix(ink, face, smoothstep(1.0, 3.0, small / u_least)); // thin things would be all outline
  color = vec4(paled(mix(face, ink, crease() * smoothstep(1.0, 4.0, small))), v_color.a);
}`,
};

/** Transparent plates. */
const FACE = {
  vertex: `${HEAD}${POSE}
layout(location = 0) in vec3 a_point;
layout(location = 1) in vec3 a_normal;
layout(location = 6) in vec4 a_color;
layout(location = 7) in vec2 a_tag;
uniform mat3 u_axes;
out vec3 v_normal;
flat out vec4 v_color;
flat out float v_owner;
void main() {
  vec3 r; vec4 q;
  pose(a_tag.x, r, q);
  v_normal = u_axes * turned(q, a_normal);
  v_color = a_color;
  v_owner = a_tag.y;
  gl_Position = u_camera * vec4(r + turned(q, a_point), 1.0);
}`,
  fragment: `${HEAD}${INK}${SHADE}
in vec3 v_normal;
flat in vec4 v_color;
flat in float v_owner;
out vec4 color;
void main() {
  if (u_picking) { color = named(v_owner); return; }
  vec3 normal = normalize(v_normal);
  vec3 face = shaded(inked(v_color.rgb, v_owner), normal.z < 0.0 ? -normal : normal);
  color = vec4(paled(face), v_color.a);
}`,
};

/** Lines of a width on paper; dashes are measured on paper too. */
const LINE = {
  vertex: `${HEAD}${POSE}
layout(location = 0) in vec2 a_corner; // along 0..1, across -1..1
layout(location = 1) in vec3 a_from;
layout(location = 2) in vec3 a_to;
layout(location = 3) in vec3 a_style; // width [pixels], pull to the eye [length], where it begins on its line [length]
layout(location = 4) in vec4 a_dashes; // dash, gap, dash, gap [pixels]; all 0: solid
layout(location = 6) in vec4 a_color;
layout(location = 7) in vec2 a_tag;
uniform vec2 u_size; // of the canvas [pixels]
uniform float u_widen, u_width; // pixels that a line is wider; pixels in what its width is given in
flat out vec4 v_color, v_dashes;
flat out float v_owner;
out float v_station;
void main() {
  vec3 r; vec4 q;
  pose(a_tag.x, r, q);
  vec4 from = u_camera * vec4(r + turned(q, a_from), 1.0), to = u_camera * vec4(r + turned(q, a_to), 1.0);
  vec2 step = (to.xy - from.xy) * u_size * 0.5;
  float length_ = length(step);
  vec2 along = length_ > 1e-6 ? step / length_ : vec2(1.0, 0.0);
  float half_ = 0.5 * max(a_style.x * u_width + u_widen, u_least);
  vec2 off = half_ * (vec2(-along.y, along.x) * a_corner.y + along * (2.0 * a_corner.x - 1.0) * (a_dashes.x > 0.0 ? 0.0 : 0.5));
  gl_Position = mix(from, to, a_corner.x);
  gl_Position.xy += off * 2.0 / u_size;
  gl_Position.z -= (a_style.y + 1.5 * u_pixel) / 8.0;
  v_color = a_color;
  v_dashes = a_dashes;
  v_owner = a_tag.y;
  v_station = (a_style.z + a_corner.x * distance(a_from, a_to)) / u_pixel;
}`,
  fragment: `${HEAD}${INK}
flat in vec4 v_color, v_dashes;
flat in float v_owner;
in float v_station;
out vec4 color;
void main() {
  float period = v_dashes.x + v_dashes.y + v_dashes.z + v_dashes.w;
  if (period > 0.0) {
    float at = mod(v_station, period);
    if ((at > v_dashes.x && at < v_dashes.x + v_dashes.y) || at > v_dashes.x + v_dashes.y + v_dashes.z) discard;
  }
  if (u_picking) { color = named(v_owner); return; }
  color = vec4(paled(inked(v_color.rgb, v_owner)), v_color.a);
}`,
};

/** Dots of a diameter on paper. */
const DOT = {
  vertex: `${HEAD}${POSE}
layout(location = 0) in vec2 a_corner; // -1..1
layout(location = 1) in vec3 a_point;
layout(location = 3) in vec3 a_style; // diameter [pixels], pull to the eye [length], not used
layout(location = 6) in vec4 a_color;
layout(location = 7) in vec2 a_tag;
uniform vec2 u_size;
uniform float u_widen;
flat out vec4 v_color;
flat out float v_owner;
out vec2 v_corner;
void main() {
  vec3 r; vec4 q;
  pose(a_tag.x, r, q);
  gl_Position = u_camera * vec4(r + turned(q, a_point), 1.0);
  gl_Position.xy += a_corner * max(a_style.x + u_widen, u_least) / u_size;
  gl_Position.z -= (a_style.y + 2.0 * u_pixel) / 8.0;
  v_color = a_color;
  v_owner = a_tag.y;
  v_corner = a_corner;
}`,
  fragment: `${HEAD}${INK}
flat in vec4 v_color;
flat in float v_owner;
in vec2 v_corner;
out vec4 color;
void main() {
  if (dot(v_corner, v_corner) > 1.0) discard;
  if (u_picking) { color = named(v_owner); return; }
  color = vec4(paled(inked(v_color.rgb, v_owner)), v_color.a);
}`,
};

const PROGRAMS = { solid: SOLID, face: FACE, line: LINE, dot: DOT };

/** What a canvas in space is asked for: smooth edges are made beside it. */
export const CONTEXT = { antialias: false, alpha: false, preserveDrawingBuffer: true };

/** Begin to compile all programs; asking one how it went would wait for it. */
function begin(gl) {
  return Object.entries(PROGRAMS).map(([name, { vertex, fragment }]) => {
    const program = gl.createProgram(), shaders = [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]].map(([kind, text]) => {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
      return shader;
    });
    gl.linkProgram(program);
    return { name, program, shaders };
  });
}

/**
 * Return the programs of a context with their uniforms.
 * @param {WebGL2RenderingContext} gl
 * @returns {Object<string, {program: WebGLProgram, at: Object<string, WebGLUniformLocation>}>}
 */
export function programsOf(gl) {
  return Object.fromEntries(begin(gl).map(({ name, program, shaders }) => {
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
      throw new Error([...shaders.map((shader) => gl.getShaderInfoLog(shader)), gl.getProgramInfoLog(program)].join(" "));
    }
    const at = {};
    for (let k = 0; k < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); k++) {
      const uniform = gl.getActiveUniform(program, k).name;
      at[uniform] = gl.getUniformLocation(program, uniform);
    }
    return [name, { program, at }];
  }));
}
