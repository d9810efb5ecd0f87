import { type Conversation, type Turn, untitled } from '../conversation.ts';
import { fileNote } from '../notes.ts';
import { daysOf } from './date-order.ts';
import { DIRECTIONS, type MessageHead, messageHead } from './message-head.ts';

/** From this share of lines that fit, a text is an export. */
const FITTING = 0.9;
/** Lines before the first message. */
const LINES_BEFORE = 20;
/** Lines of one message behind its first one that fit. */
const CONTINUED = 20;
/** Begins what the app writes, and not a person. */
const NOTICE = '\u200e';
/** `Orla: words`. Some apps have a space before the colon. */
const NAMED = /^([^:\n]{1,100}?)\s?:(?:\s|$)/;
/** A name that is none: what happened in a group, with its name. */
const QUOTES = /["“”«»„]/;
/** Words before a colon that logs have in place of a name. */
const LEVEL = /^(?:trace|debug|info|notice|warn(?:ing)?|error|fatal|critical)$/i;

interface Message {
  readonly head: MessageHead;
  /** Null: a notice of the app. */
  readonly speaker: string | null;
  words: string;
  lines: number;
}

/** Returns the chat that WhatsApp has exported as a text. Null: fewer than nine of ten lines have this form. */
export function readWhatsApp(text: string): Conversation | null {
  const { before, messages } = messagesIn(text);
  const days = messages.length === 0 ? null : daysOf(messages.map(({ head }) => head));
  if (days === null) return null;
  const turns = messages.flatMap((message, i) => turnOf(message, days[i] as string));
  return turns.length === 0 ? null : untitled([{ speaker: null, words: before, time: null }, ...turns]);
}

const NONE = { before: '', messages: [] } as const;

/** Returns the messages and the lines before them; no messages if it is no export. */
function messagesIn(text: string): { readonly before: string; readonly messages: readonly Message[] } {
  const messages: Message[] = [];
  let before = '';
  let lines = 0;
  let fitting = 0;
  for (const line of linesOf(text)) {
    const message = messageOf(line);
    const last = messages.at(-1);
    if (line.trim() !== '') lines += 1;
    if (message !== null) {
      messages.push(message);
      fitting += 1;
    } else if (last !== undefined) {
      last.words += `\n${line}`;
      last.lines += 1;
      if (line.trim() !== '' && last.speaker !== null && last.lines <= CONTINUED) fitting += 1;
    } else if (lines > LINES_BEFORE) {
      // Most texts are none, and end here.
      return NONE;
    } else {
      before += `${line}\n`;
    }
  }
  const said = messages.filter(({ speaker }) => speaker !== null).length;
  return messages.length >= 2 && said * 2 >= messages.length && fitting >= lines * FITTING
    ? { before, messages }
    : NONE;
}

function* linesOf(text: string): Generator<string> {
  for (let start = 0; start <= text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function messageOf(line: string): Message | null {
  const isCandidate = /^[[\d\u0660-\u09ef\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(line);
  const plain = isCandidate ? line.replace(DIRECTIONS, (mark) => (mark === NOTICE ? mark : '')) : line;
  const start = plain.startsWith(NOTICE) ? plain.slice(1) : plain;
  const head = isCandidate ? messageHead(start) : null;
  if (head === null) return null;
  const rest = start.slice(head.behind);
  const [found, name] = NAMED.exec(rest.replaceAll(NOTICE, '')) ?? [];
  const isNamed = found !== undefined && name !== undefined && !QUOTES.test(name) && !LEVEL.test(name);
  if (!isNamed) return { head, speaker: null, words: rest, lines: 0 };
  const words = rest.slice(rest.indexOf(':') + 1).trimStart();
  return { head, speaker: name.trim(), words, lines: 0 };
}

function turnOf({ head, speaker, ...message }: Message, day: string): readonly Turn[] {
  const words = message.words.trim();
  const isNotice = speaker === null || words.startsWith(NOTICE);
  const file =
    /^\u200e?<[^<>:\n]{1,40}: ([^<>\n]{1,200})>/.exec(words) ?? /^(\S{1,200}\.\w{2,5}) \(\p{L}+ \p{L}+\)/u.exec(words);
  const said = file === null ? words : `${fileNote(file[1] as string)}${words.slice(file[0].length)}`;
  const plain = said
    .replace(/\s?\u200e?<This message was edited>$|\s?\u200e<[^<>\n]{1,80}>$/, '')
    .replaceAll(NOTICE, '')
    .trim();
  const isOmitted =
    file === null && (/^<[^<>\n]{1,60}>$/.test(plain) || (speaker !== null && isNotice && isShort(plain)));
  if (plain === '' || isOmitted) return [];
  return [{ speaker: isNotice && file === null ? 'system' : speaker, words: plain, time: `${day}T${head.clock}` }];
}

/** As `image omitted`, `Missed voice call` and `This message was deleted.` are. */
const isShort = (notice: string): boolean => notice.split(/\s+/).length <= 4 && !notice.includes('://');
