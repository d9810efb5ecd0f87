import type { CountTokens } from '#platform/tokens';
import type { Conversation, Item } from './conversation.ts';
import { type Counted, countedText, OVERHEAD } from './counted-text.ts';
import type { Change, ChatCall, Rewritten } from './format.ts';
import { type Edit, edited, type JsonText, parseJson } from './json-text.ts';
import { itemsToDrop } from './trimming.ts';

/** Of the tokens that a call may have. Turns leave in steps, so that calls of a growing conversation begin alike and stay cached. */
const STEP = 1 / 8;

/** What can leave: a turn of the history, or an item of the body at a place. */
type Unit = Pick<Item, 'kind' | 'calls' | 'results'> & { readonly counted: Counted; readonly at?: number };

/** Reads a body by what a format finds in it. Returns undefined if that is not what the format describes. */
export function readCall(body: Buffer, find: (json: JsonText) => Conversation | undefined): ChatCall | undefined {
  const json = parseJson(body);
  const conversation = json && find(json);
  return conversation && callOf(body, json, conversation);
}

function callOf(body: Buffer, json: JsonText, conversation: Conversation): ChatCall {
  const { items, beside, model, user, stream, isStateful } = conversation;
  const counted = items.map(({ node }) => countedText(json, node));
  const countedBeside = beside.flatMap((node) => (node === undefined ? [] : countedText(json, node)));
  return {
    ...{ model, user, stream, isStateful },
    turns: items.flatMap(({ turn }) => turn ?? []),
    rewrite: (change, count) => rewrite({ body, json, conversation, counted, beside: countedBeside }, change, count),
  };
}

interface Read {
  readonly body: Buffer;
  readonly json: JsonText;
  readonly conversation: Conversation;
  /** Of each item. */
  readonly counted: readonly Counted[];
  readonly beside: readonly Counted[];
}

async function rewrite(read: Read, { block, history = [], maxTokens }: Change, count: CountTokens): Promise<Rewritten> {
  const { items, isStateful, placeBlock, putInFront } = read.conversation;
  const blockEdits = block === undefined ? [] : placeBlock(block);
  const former = isStateful ? [] : history;
  const present = items.map((item, at) => ({ ...item, at, counted: read.counted[at] as Counted }));
  const units: Unit[] = [
    ...former.map(({ role, text }) => ({ kind: role, calls: [], results: [], counted: { text, media: 0 } })),
    ...present.filter(({ kind }) => kind !== 'system'),
  ];
  const fixed = [
    ...read.beside,
    ...present.filter(({ kind }) => kind === 'system').map(({ counted }) => counted),
    ...(blockEdits.length > 0 ? [{ text: block as string, media: 0 }] : []),
  ];
  const tokens = await tokensOf([...units.map(({ counted }) => counted), ...fixed], count);
  const all = sum(tokens);
  const ofUnits = tokens.slice(0, units.length);
  const most = isStateful ? Number.POSITIVE_INFINITY : (maxTokens ?? Number.POSITIVE_INFINITY);
  const dropped = itemsToDrop(units, ofUnits, most - (all - sum(ofUnits)), Math.max(1, most * STEP));
  const saved = sum(ofUnits.slice(0, dropped));

  const kept = former.slice(dropped);
  const edits = [
    ...blockEdits,
    ...(kept.length > 0 ? putInFront(kept) : []),
    ...units.slice(0, dropped).flatMap(({ at }) => (at === undefined ? [] : removal(items, at))),
  ];
  const body = edits.length === 0 ? read.body : Buffer.from(edited(read.json.text, edits));
  return { body, tokens: all - saved, saved, dropped };
}

/** Removes an item that is not the last one, up to the next. */
function removal(items: readonly Item[], i: number): Edit {
  const { offset } = (items[i] as Item).node;
  return { offset, length: (items[i + 1] as Item).node.offset - offset, content: '' };
}

async function tokensOf(all: readonly Counted[], count: CountTokens): Promise<readonly number[]> {
  const counts = await count(all.map(({ text }) => text));
  return all.map(({ media }, i) => (counts[i] as number) + media + OVERHEAD);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
