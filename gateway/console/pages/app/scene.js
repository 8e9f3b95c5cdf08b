// @ts-check
// The screens of a call: the one before it, with its click point, and the one after it.

const artifact = /[0-9a-f]{8}-[0-9a-f-]{27}\.(?:png|jpe?g|gif|webp|bmp)/;
const most = 200_000; // characters of a result in the search for an artifact

const number = (v) => typeof v === 'number' && Number.isFinite(v);
const pointOf = (...of) => of.find((p) => p && number(p.x) && number(p.y));
const idOf = (value) => artifact.exec(JSON.stringify(value ?? null).slice(0, most))?.[0];

/** The first artifact and the click point in arguments. */
export function sceneOf(args) {
  return { id: idOf(args), point: pointOf(args?.point, args?.target, args) };
}

/** The screens in the arguments and in the result of a call. @param {any} input @param {any} output */
export function scenesOf(input, output) {
  const before = sceneOf(input);
  const found = pointOf(output?.point, output?.match?.center, output?.target);
  const after = idOf(output);
  return { before: before.id ? { id: before.id, point: before.point ?? found } : undefined, after: after && after !== before.id ? { id: after } : undefined };
}
