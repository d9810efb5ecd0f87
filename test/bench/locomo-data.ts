/**
 * The file `data/locomo10.json` of snap-research/LoCoMo as documents and questions. The data is CC BY-NC: it is read from
 * a path that the caller names, and none of it stands here.
 */

/** In the form in which it is added: one line of its session's document. */
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
  /** The turns that answer it; at least one. */
  readonly evidence: readonly Turn[];
}

export interface Conversation {
  /** e.g. `conv-26`. */
  readonly name: string;
  readonly sessions: readonly Session[];
  readonly questions: readonly Question[];
}

/** Without 5, the questions that have no answer. */
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

/** @throws Error when a conversation is not in the file, or a session's date cannot be read */
export function readLocomo(json: string, names: readonly string[]): Conversation[] {
  const raw = JSON.parse(json) as readonly RawConversation[];
  return names.map((name) => {
    const found = raw.find((one) => one.sample_id === name);
    if (found === undefined) throw new Error(`${name} is not in the file`);
    return readConversation(found);
  });
}

function readConversation({ sample_id, conversation, qa }: RawConversation): Conversation {
  // Some dates belong to sessions that do not exist, so the lists of turns say which sessions there are.
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
    // Four questions name no turn that exists, and cannot be scored.
    .filter(({ evidence }) => evidence.length > 0);
  return { name: sample_id, sessions, questions };
}

function readTurn({ speaker, dia_id, text, blip_caption }: RawTurn): Turn {
  const picture = blip_caption ? ` [picture: ${blip_caption}]` : '';
  return { id: turnIds(dia_id)[0] as string, line: oneLine(`${speaker}: ${text}${picture}`) };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Several ids can stand in one string, zero-padded or with a stray colon: `D1:3; D30:05`, `D:11:26`. */
function turnIds(text: string): string[] {
  return [...text.matchAll(/D:?(\d+):(\d+)/g)].map(([, session, turn]) => `${Number(session)}:${Number(turn)}`);
}

/** `1:56 pm on 8 May, 2023` as `2023-05-08T13:56:00Z`. */
function isoDate(text: string): string {
  const [time, day] = text.split(' on ');
  const date = new Date(`${day} ${time} UTC`);
  if (Number.isNaN(date.getTime())) throw new Error(`no date: ${text}`);
  return date.toISOString();
}
