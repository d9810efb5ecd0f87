import type { Json, JsonObject } from '#platform/kernel';
import { htmlToText } from '../html.ts';
import { isObject } from '../json-values.ts';
import { inFence, joinedText } from './format.ts';

/** What moves the cursor of a terminal or changes its colours. Linear, which `stripVTControlCharacters` of Node is not. */
const TERMINAL_CODE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: each of them begins with one
  /\u001b(?:\[[0-9;:?]{0,80}[@-~]|\][^\u0007\u001b\n]{0,500}(?:\u0007|\u001b\\)|[()][A-Z0-9])|\u0008/g;
/** How a program names an object that it cannot write: `<Figure size 640x480 with 1 Axes>`. */
const NAME_OF_OBJECT = /^\s*\[?<[^\n]{0,500}>\]?\s*$/;
/** Of a control, such as a progress bar; its text is for programs. */
const WIDGET = 'application/vnd.jupyter.widget-view+json';
/** A longer page is a program that draws something. UTF-16 code units. */
const MAX_PAGE = 1_000_000;

/** Returns what a cell of code has written: texts, tables and errors, no pictures. */
export async function textOfOutputs(outputs: Json | undefined): Promise<readonly string[]> {
  if (!Array.isArray(outputs)) return [];
  const texts: string[] = [];
  for (const output of outputs.filter(isObject)) {
    const text = await textOfOutput(output);
    if (text.trim() !== '') texts.push(text);
  }
  return texts;
}

async function textOfOutput(output: JsonObject): Promise<string> {
  switch (output.output_type) {
    case 'stream':
      return printed(joinedText(output.text));
    case 'error':
    case 'pyerr':
      return printed(textOfError(output));
    default:
      // Before format 4, the kinds of the result are fields of the output.
      return textOfResult(isObject(output.data) ? output.data : output);
  }
}

function textOfError({ ename, evalue, traceback }: JsonObject): string {
  const lines = Array.isArray(traceback) ? traceback.filter((line) => typeof line === 'string') : [];
  return lines.length > 0 ? lines.join('\n') : [ename, evalue].filter((part) => typeof part === 'string').join(': ');
}

/** A result comes in several kinds, of which a reader is shown one. */
async function textOfResult(data: JsonObject): Promise<string> {
  if (WIDGET in data) return '';
  const markdown = joinedText(data['text/markdown']);
  if (markdown.trim() !== '') return markdown;
  const plain = joinedText(data['text/plain'] ?? data.text);
  const html = joinedText(data['text/html'] ?? data.html);
  const isNamed = plain.trim() === '' || NAME_OF_OBJECT.test(plain);
  if (!isNamed) return printed(plain);
  const page = html.trim() === '' || html.length > MAX_PAGE ? '' : (await htmlToText(html)).text;
  return page.trim() === '' ? joinedText(data['text/latex'] ?? data.latex) : page;
}

/** As a terminal shows it: behind a carriage return, a line is written again. */
function printed(output: string): string {
  const lines = output.replace(TERMINAL_CODE, '').replaceAll('\r\n', '\n').split('\n');
  const shown = lines.map((line) => line.slice(line.lastIndexOf('\r', line.length - 2) + 1).replace('\r', ''));
  const text = shown.join('\n');
  return text.trim() === '' ? '' : inFence(text, '');
}
