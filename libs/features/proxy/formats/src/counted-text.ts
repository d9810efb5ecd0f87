import { type JsonText, type Node, sourceOf } from './json-text.ts';

/** Tokens of what stands around each message. */
export const OVERHEAD = 4;
/** Tokens of an image, a sound or a file. Providers count between 85 and some thousands, by what is in it. */
const MEDIA = 1_000;

/** Not seen by the model as text, or in a form of the provider's own. */
const NOT_COUNTED =
  /^(type|role|id|\w+_id|status|object|detail|cache_control|media_type|mime_?type|signature|thought_?signature|encrypted_content)$/i;
/** JSON that the model sees as it is: arguments and results of tools, and the tools themselves. */
const AS_SOURCE = new Set(['input', 'args', 'arguments', 'response', 'tools', 'functions', 'parameters']);
/** Addresses of media: the names of a value and of what it is in. */
const ADDRESS = /^(image_url|file_url|image_url\.url|source\.url|file_?data\.file_?uri)$/i;
const BASE64_NAMES = new Set(['data', 'file_data']);
/** Shorter strings may be words. */
const LEAST_BASE64 = 512;
const BASE64 = /^[\w+/=\r\n-]*$/;
const DATA_URL = /^data:[^,]{0,200},/i;

/** What of a value is counted. */
export interface Counted {
  readonly text: string;
  /** Tokens of media, which have no text. */
  readonly media: number;
}

/** Returns the strings in a value, without names and ids of the format. */
export function countedText(json: JsonText, node: Node): Counted {
  const texts: string[] = [];
  let media = 0;
  const add = (value: Node, name: string, owner: string): void => {
    if (value.type === 'string') {
      if (isMedia(value.value, name, owner)) media += MEDIA;
      else texts.push(value.value);
    } else if (value.type === 'object' || value.type === 'array') {
      if (AS_SOURCE.has(name)) texts.push(sourceOf(json, value));
      else for (const child of value.children ?? []) addChild(child, name);
    }
  };
  const addChild = (child: Node, owner: string): void => {
    const [key, value] = child.type === 'property' ? (child.children as [Node, Node]) : [];
    if (key === undefined) add(child, owner, '');
    else if (!NOT_COUNTED.test(key.value)) add(value as Node, key.value, owner);
  };
  const name = node.parent?.type === 'property' ? (node.parent.children?.[0]?.value as string) : '';
  add(node, name, '');
  return { text: texts.join('\n'), media };
}

function isMedia(text: string, name: string, owner: string): boolean {
  if (DATA_URL.test(text) || ADDRESS.test(name) || ADDRESS.test(`${owner}.${name}`)) return true;
  return BASE64_NAMES.has(name) && text.length >= LEAST_BASE64 && BASE64.test(text.slice(0, LEAST_BASE64));
}
