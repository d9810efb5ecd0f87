import { clip } from '../characters.ts';
import type { ReadableText } from '../extractors/extractor.ts';
import { SectionedText } from '../sectioned-text.ts';
import type { Conversation, Turn } from './conversation.ts';
import { documentDateOf, timeInWords } from './time.ts';

/** Longest name of a speaker and longest title of a conversation, in UTF-16 code units. */
const MAX_NAME = 80;
const MAX_TITLE = 150;

/**
 * Writes conversations as lines `[8 May 2023, 13:56] name: words`, each with its speaker and time, below a heading for each
 * conversation. A single one without a title has none.
 * @throws ExtractionError if the text becomes too long
 */
export function conversationText(all: readonly Conversation[]): ReadableText {
  const conversations = all.filter(({ turns }) => turns.length > 0);
  const text = new SectionedText();
  for (const [i, conversation] of conversations.entries()) {
    const heading = headingOf(conversation, conversations.length > 1 ? `Conversation ${i + 1}` : null);
    const { turns } = conversation;
    if (heading !== null) {
      text.section(locationOf(turns[0]));
      text.add(`# ${heading}`);
    }
    for (const turn of turns) {
      text.section(locationOf(turn));
      addTurn(text, turn);
    }
  }
  const [first] = conversations;
  const date = first?.turns.find(({ time }) => time !== null)?.time ?? first?.date ?? null;
  return {
    ...{ ...text.result, date: date === null ? null : documentDateOf(date) },
    title: conversations.length === 1 ? (first?.title ?? null) : null,
  };
}

const locationOf = (turn: Turn | undefined) => (turn?.time ? { date: turn.time } : {});

function headingOf({ title, date }: Conversation, otherwise: string | null): string | null {
  const name = (title === null ? null : clip(title, MAX_TITLE)) || otherwise;
  return name === null || date === null ? name : `${name} (${timeInWords(date.slice(0, 10))})`;
}

function addTurn(text: SectionedText, { speaker, name, words, time }: Turn): void {
  const when = time === null ? '' : `[${timeInWords(time)}] `;
  const who = plainName(speaker);
  if (who === '') text.add(`${when}${words}`);
  else text.addTurn(who, `${when}${who}${name === undefined ? '' : ` (${plainName(name)})`}: `, words);
}

/** On one line, without the colon that ends a name. */
const plainName = (name: string | null): string => clip((name ?? '').replace(/[:：]+/g, ' '), MAX_NAME);
