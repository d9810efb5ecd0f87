/** Grey levels on which a transparent picture can be laid, the usual one first. */
const GROUNDS = [255, 0, 128] as const;
/** Colours that differ less from a ground in each channel are lost on it. */
const NEAR = 64;
/** Less opaque pixels, 0 to 255, are not seen. */
const SEEN = 128;
/** An unusual ground loses fewer pixels by this share of those that are seen. */
const FEWER = 0.01;

/**
 * Lays a picture on the grey level from which its colours differ.
 * @param data red, green, blue and opacity of the pixels
 * @returns red, green and blue of the pixels
 */
export function opaque(data: Uint8Array): Uint8Array {
  const ground = groundFor(data);
  const colours = new Uint8Array((data.length / 4) * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    const opacity = data[from + 3] as number;
    for (let channel = 0; channel < 3; channel++) {
      colours[to + channel] = ((data[from + channel] as number) * opacity + ground * (255 - opacity)) / 255;
    }
  }
  return colours;
}

function groundFor(data: Uint8Array): number {
  if (isOpaque(data)) return GROUNDS[0];
  const lost = GROUNDS.map(() => 0);
  let seen = 0;
  for (let at = 0; at < data.length; at += 4) {
    if ((data[at + 3] as number) < SEEN) continue;
    seen += 1;
    const [red, green, blue] = [data[at] as number, data[at + 1] as number, data[at + 2] as number];
    const [least, most] = [Math.min(red, green, blue), Math.max(red, green, blue)];
    for (const [i, ground] of GROUNDS.entries()) {
      if (most - ground < NEAR && ground - least < NEAR) lost[i] = (lost[i] as number) + 1;
    }
  }
  const best = lost.reduce((best, count, i) => (count + FEWER * seen < (lost[best] as number) ? i : best), 0);
  return GROUNDS[best] as number;
}

function isOpaque(data: Uint8Array): boolean {
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return false;
  return true;
}
