/**
 * Reads `data/locomo10.json` of snap-research/LoCoMo as documents and questions. The data is CC BY-NC and not part of this
 * repository; the caller names its path.
 */

/** One turn, as a line of its session's document. */
export interface Turn {
  /** e.g. `1:3`, the third turn of the first session. */
  readonly id: string;
  readonly line: string;
}

export interface Session {
  readonly number: number;
  /** ISO 8601. */
  readonly date: string;
  readonly turns: readonly Turn[];
}

export interface Question {
  readonly text: string;
  readonly category: Category;
  /** The turns with the answer; at least one. */
  readonly evidence: readonly Turn[];
}

export interface Conversation {
  /** e.g. `conv-26`. */
  readonly name: string;
  readonly sessions: readonly Session[];
  readonly questions: readonly Question[];
}

/** Excludes category 5, questions without an answer. */
export const CATEGORIES = { 1: 'multi-hop', 2: 'temporal', 3: 'open-domain', 4: 'single-hop' } as const;
export type Category = keyof typeof CATEGORIES;

interface RawTurn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface RawConversation {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, string | readonly RawTurn[]>>;
  readonly qa: readonly {
    readonly question: string;
    readonly category: number;
    readonly evidence?: readonly string[];
  }[];
}

/** Parses the file. @throws Error if a conversation is missing or a date is invalid */
export function readLocomo(json: string, names: readonly string[]): Conversation[] {
  const raw = JSON.parse(json) as readonly RawConversation[];
  return names.map((name) => {
    const found = raw.find((one) => one.sample_id === name);
    if (found === undefined) throw new Error(`The file has no conversation ${name}`);
    return readConversation(found);
  });
}

function readConversation({ sample_id, conversation, qa }: RawConversation): Conversation {
  // Some dates belong to missing sessions, so sessions are taken from the lists of turns.
  const sessions = Object.entries(conversation)
    .filter((entry): entry is [string, readonly RawTurn[]] => /^session_\d+$/.test(entry[0]) && Array.isArray(entry[1]))
    .map(([key, turns]) => ({
      number: Number(key.slice('session_'.length)),
      date: isoDate(conversation[`${key}_date_time`] as string),
      turns: turns.map(readTurn),
    }));
  const turns = new Map(sessions.flatMap((session) => session.turns.map((turn) => [turn.id, turn])));
  const questions = qa
    .filter((one): one is typeof one & { category: Category } => one.category in CATEGORIES)
    .map(({ question, category, evidence = [] }) => ({
      text: question,
      category,
      evidence: [...new Set(evidence.flatMap(turnIds))].flatMap((id) => turns.get(id) ?? []),
    }))
    // Four questions name only missing turns and cannot be scored.
    .filter(({ evidence }) => evidence.length > 0);
  return { name: sample_id, sessions, questions };
}

function readTurn({ speaker, dia_id, text, blip_caption }: RawTurn): Turn {
  const picture = blip_caption ? ` [picture: ${blip_caption}]` : '';
  return { id: turnIds(dia_id)[0] as string, line: oneLine(`${speaker}: ${text}${picture}`) };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Parses the ids of a string, zero-padded or with a stray colon: `D1:3; D30:05`, `D:11:26`. */
function turnIds(text: string): string[] {
  return [...text.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `${Number(session)}:${Number(turn)}`);
}

/** Converts `1:56 pm on 8 May, 2023` to `2023-05-08T13:56:00Z`. */
function isoDate(text: string): string {
  const [time, day] = text.split(' on ');
  const date = new Date(`${day} ${time} UTC`);
  if (Number.isNaN(date.getTime())) throw new Error(`Invalid date: ${text}`);
  return date.toISOString();
}
