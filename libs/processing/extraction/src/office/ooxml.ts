import { readXml } from '../xml.ts';
import { describedBy, namesFile, type Zip } from '../zip.ts';

const MIB = 1024 * 1024;

/** Of every kind of office file. */
export const OFFICE_LIMITS = { ms: 60_000, outputBytes: 256 * MIB } as const;

/** The file of a container that names the content type of each part. */
const CONTENT_TYPES = '[Content_Types].xml';

/**
 * Whether a file is an OOXML file with a main part of this type, which has this path in most files. Its beginning may hold
 * the content types only.
 */
export const isOoxml = (bytes: Uint8Array, part: string, contentType: string): boolean =>
  namesFile(bytes, part) ||
  namesFile(bytes, contentType) ||
  describedBy(bytes, CONTENT_TYPES)?.includes(contentType) === true;

/** What a part says about another one. */
interface Relationship {
  readonly id: string;
  /** Last word of the type, such as `styles`. */
  readonly type: string;
  /** Path within the container. */
  readonly target: string;
}

/** @param part path; empty: the container */
async function relationshipsOf(zip: Zip, part: string): Promise<readonly Relationship[]> {
  const slash = part.lastIndexOf('/');
  const [folder, file] = [part.slice(0, slash + 1), part.slice(slash + 1)];
  const relationships: Relationship[] = [];
  const xml = zip.read(`${folder}_rels/${file}.rels`);
  if (xml === null) return relationships;
  await readXml(xml, {
    open: (name, attributes) => {
      if (name !== 'Relationship' || attributes.TargetMode === 'External') return;
      const { Id: id, Target: target, Type: type = '' } = attributes;
      if (id === undefined || target === undefined) return;
      relationships.push({ id, type: type.slice(type.lastIndexOf('/') + 1), target: resolved(folder, target) });
    },
  });
  return relationships;
}

/** What the relationships of a part name: the path of the target within the container, by id. */
export async function relationships(zip: Zip, part: string): Promise<ReadonlyMap<string, string>> {
  return new Map((await relationshipsOf(zip, part)).map(({ id, target }) => [id, target]));
}

/** Path of a part: the usual one if the container has it, else what a relationship of this type names. */
export async function partOf(zip: Zip, from: string, type: string, usual: string): Promise<string> {
  if (zip.has(usual)) return usual;
  return (await relationshipsOf(zip, from)).find((one) => one.type === type)?.target ?? usual;
}

/** Path of the main part of a container. @param usual in most files */
export const mainPartOf = (zip: Zip, usual: string): Promise<string> => partOf(zip, '', 'officeDocument', usual);

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
