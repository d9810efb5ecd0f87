import { attribute, readXml } from '../../xml.ts';

interface Point {
  readonly id: string;
  words: string;
}

/** A connection that makes one point a part of another one. */
interface Part {
  readonly parent: string;
  readonly child: string;
  readonly place: number;
}

/** Returns the texts of a diagram (SmartArt), a line each, in the order of their hierarchy. */
export async function diagramText(xml: Uint8Array): Promise<string> {
  const points: Point[] = [];
  const parts: Part[] = [];
  let isText = false;
  await readXml(xml, {
    open: (name, attributes) => {
      isText = name === 't';
      const last = points.at(-1);
      if (name === 'pt') points.push({ id: attribute(attributes, 'modelId') ?? '', words: '' });
      else if ((name === 'p' || name === 'br') && last !== undefined) last.words += ' ';
      else if (name === 'cxn' && (attributes.type ?? 'parOf') === 'parOf') {
        const { srcId: parent = '', destId: child = '', srcOrd } = attributes;
        parts.push({ parent, child, place: Number(srcOrd ?? 0) });
      }
    },
    text: (words) => {
      const last = points.at(-1);
      if (isText && last !== undefined) last.words += words;
    },
    close: () => {
      isText = false;
    },
  });
  return linesOf(points, parts).join('\n');
}

function linesOf(points: readonly Point[], parts: readonly Part[]): readonly string[] {
  const children = Map.groupBy(
    parts.toSorted((a, b) => a.place - b.place),
    ({ parent }) => parent,
  );
  const byId = new Map(points.map((point) => [point.id, point]));
  const inner = new Set(parts.map(({ child }) => child));
  const lines: string[] = [];
  const seen = new Set<string>();
  // Those that are in no other one first; what then is left is in a circle.
  for (const { id } of [...points.filter((point) => !inner.has(point.id)), ...points]) {
    const left = [{ id, level: 0 }];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const words = byId.get(next.id)?.words.replace(/\s+/g, ' ').trim() ?? '';
      if (seen.has(next.id)) continue;
      seen.add(next.id);
      if (words !== '') lines.push(next.level === 0 ? words : `${'  '.repeat(next.level - 1)}- ${words}`);
      // The diagram itself has no words, so what is in it is not further in.
      const level = next.level + (words === '' ? 0 : 1);
      left.push(...(children.get(next.id) ?? []).map(({ child }) => ({ id: child, level })).toReversed());
    }
  }
  return lines;
}
