import { layOut } from '../pdf/page-text.ts';
import type { ExtractionResources } from '../resources.ts';
import { densestRows, slantOf } from './angle.ts';
import { type Picture, rowsOf, turn } from './picture.ts';
import { recognize } from './recognizer.ts';
import { type Reading, readingOf } from './words.ts';

/** Confidence of a text that lies right, and by how much another direction has to be better. */
const RIGHT = 70;
const BETTER = 15;
/** Share of the rows by which directions are compared, and the least of them. */
const SAMPLE = 0.2;
const MIN_SAMPLE_ROWS = 400;
/** Quarters by which a picture is turned clockwise, the likely ones first. */
const UPRIGHT = [0, 180, 90, 270] as const;
const SIDEWAYS = [90, 270, 0, 180] as const;

/**
 * Reads a picture as text: paragraphs in reading order with a blank line between them; empty if it shows none. A picture
 * that is turned by quarters, or by some degrees, is turned back first.
 * @throws MissingResourceError; Error if the recognizer fails
 */
export async function readPicture(picture: Picture, resources: ExtractionResources['ocr']): Promise<string> {
  const slant = await slantOf(picture);
  if (slant === null) return '';
  const [likely, ...others] = slant.isSideways ? SIDEWAYS : UPRIGHT;
  const turnedBy = (quarters: number) => turn(picture, quarters - slant.degrees);
  const read = async (one: Picture) => readingOf(await recognize(one, resources));
  const first = await turnedBy(likely);
  const reading = await read(first);
  if (reading.confidence >= RIGHT) return textOf(reading, first);
  let best = { confidence: reading.confidence + BETTER, quarters: likely as number };
  for (const quarters of others) {
    const { confidence } = await read(sampleOf(await turnedBy(quarters)));
    if (confidence > best.confidence) best = { confidence, quarters };
    if (confidence >= RIGHT) break;
  }
  if (best.quarters === likely) return textOf(reading, first);
  const right = await turnedBy(best.quarters);
  return textOf(await read(right), right);
}

/** The part with the most ink. */
function sampleOf(picture: Picture): Picture {
  const rows = Math.min(picture.height, Math.max(MIN_SAMPLE_ROWS, Math.round(picture.height * SAMPLE)));
  return rowsOf(picture, densestRows(picture, rows), rows);
}

const textOf = ({ pieces }: Reading, { width }: Picture): string => layOut(pieces, width).join('\n\n');
