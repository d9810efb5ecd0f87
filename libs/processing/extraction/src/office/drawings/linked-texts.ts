import type { Zip } from '../../zip.ts';
import { chartText } from './chart.ts';
import { diagramText } from './diagram.ts';

/** Lines of charts and diagrams, by the ids of the relationships to their parts. */
export type LinkedTexts = ReadonlyMap<string, readonly string[]>;

const CHART = /\/charts\/chart[^/]*\.xml$/;
const DIAGRAM = /\/diagrams\/data[^/]*\.xml$/;

/** Reads the charts and diagrams to which a part has relationships. @throws ExtractionError */
export async function linkedTexts(zip: Zip, targets: ReadonlyMap<string, string>): Promise<LinkedTexts> {
  const texts = new Map<string, readonly string[]>();
  for (const [id, path] of targets) {
    const read = CHART.test(path) ? chartText : DIAGRAM.test(path) ? diagramText : null;
    const xml = read === null ? null : zip.read(path);
    if (read !== null && xml !== null) texts.set(id, (await read(xml)).split('\n'));
  }
  return texts;
}
