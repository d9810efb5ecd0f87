import { readXml } from '../xml.ts';
import { namesFile, type Zip } from '../zip.ts';

const MIB = 1024 * 1024;

/** Of every kind of office file. */
export const OFFICE_LIMITS = { ms: 60_000, outputBytes: 256 * MIB } as const;

/** Whether a file is an OOXML file with this main part. Its beginning may hold the content types only. */
export const isOoxml = (bytes: Uint8Array, part: string, contentType: string): boolean =>
  namesFile(bytes, part) || namesFile(bytes, contentType);

/** What the relationships of a part name: the path of the target within the container, by id. */
export async function relationships(zip: Zip, part: string): Promise<ReadonlyMap<string, string>> {
  const slash = part.lastIndexOf('/');
  const [folder, file] = [part.slice(0, slash + 1), part.slice(slash + 1)];
  const targets = new Map<string, string>();
  const xml = zip.read(`${folder}_rels/${file}.rels`);
  if (xml === null) return targets;
  await readXml(xml, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
      const { Id: id, Target: target } = attributes;
      if (id !== undefined && target !== undefined) targets.set(id, resolved(folder, target));
    },
  });
  return targets;
}

function resolved(folder: string, target: string): string {
  const path = target.startsWith('/') ? target.slice(1) : `${folder}${target}`;
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

interface Properties {
  readonly title: string | null;
  readonly author: string | null;
  readonly language: string | null;
  readonly date: string | null;
}

const NO_PROPERTIES: Properties = { title: null, author: null, language: null, date: null };

/** Elements of properties by their meaning, in OOXML and OpenDocument; of several the first that is there. */
const PROPERTY_ELEMENTS = {
  title: ['title'],
  author: ['creator', 'initial-creator'],
  language: ['language'],
  date: ['created', 'creation-date', 'modified', 'date'],
} as const;

/** What an office file says about itself, in `docProps/core.xml` or `meta.xml`. A damaged part says nothing. */
export async function propertiesOf(xml: Uint8Array | null): Promise<Properties> {
  if (xml === null) return NO_PROPERTIES;
  const values = new Map<string, string>();
  let open: string | null = null;
  await readXml(xml, {
    open: (name) => {
      open = name;
    },
    text: (text) => {
      if (open !== null && text.trim() !== '') values.set(open, (values.get(open) ?? '') + text);
    },
    close: () => {
      open = null;
    },
  }).catch(() => undefined);
  const first = (names: readonly string[]) => names.map((name) => values.get(name)).find((one) => one !== undefined);
  return {
    title: first(PROPERTY_ELEMENTS.title) ?? null,
    author: first(PROPERTY_ELEMENTS.author) ?? null,
    language: first(PROPERTY_ELEMENTS.language) ?? null,
    date: first(PROPERTY_ELEMENTS.date) ?? null,
  };
}
