import { IsMessages, userTurns } from '#features/documents/requests';
import {
  IsContainerTag,
  IsFlag,
  IsFraction,
  IsOneOf,
  IsPastTime,
  IsText,
  IsWholeNumber,
  invalid,
  momentOf,
  ShownBy,
} from '#platform/input';
import type { Principal } from '#platform/kernel';
import { TOKENIZERS, type Tokenizer } from '#platform/tokens';
import { DEFAULT_THRESHOLD } from '../search.input.ts';
import { GetContext } from './get-context.query.ts';

const MAX_QUESTION = 10_000;
const MAX_MESSAGES = 200;
/** The last turns of a user that ask together: as many as these, and characters of them. */
const LAST_TURNS = { turns: 3, characters: 1_000 };

/** What a prompt is about, and how long its context may be. */
@ShownBy({
  'A question': { q: 'Who books the room?', containerTag: 'project-atlas', maxTokens: 1000, threshold: 0.3 },
  'The end of a conversation': {
    messages: [
      { role: 'user', content: 'Atlas starts on 14 March.' },
      { role: 'assistant', content: 'Noted.' },
      { role: 'user', content: 'Where is the kick-off?' },
    ],
    containerTag: 'project-atlas',
    includeRecent: false,
  },
})
export class GetContextInput {
  /** The question; `*` asks for the newest memories. Without it and messages: profile and recent activity alone. */
  @IsText({ max: MAX_QUESTION })
  q?: string;

  /** A conversation, whose last turns of the user ask. Not together with q. */
  @IsMessages({ max: MAX_MESSAGES })
  messages?: readonly unknown[];

  /** Default: `sm_project_default`, or the tags of a key that has its own. */
  @IsContainerTag()
  containerTag?: string;

  /** Most tokens of the text. */
  @IsWholeNumber(100, 32_000)
  maxTokens = 2_000;

  /** Memories that were recorded as lasting facts. */
  @IsFlag()
  includeProfile = true;

  /** The newest of the other memories. */
  @IsFlag()
  includeRecent = true;

  /** Lowest similarity of memories. */
  @IsFraction()
  threshold = DEFAULT_THRESHOLD;

  /** A time that is not in the future: what was known then. Default: what is known now. */
  @IsPastTime()
  asOf?: string;

  /** By what tokens are counted. o200k: the encoding of OpenAI's models. estimate: roughly, with a margin for other models. */
  @IsOneOf(TOKENIZERS)
  tokenizer: Tokenizer = 'o200k';
}

/** @throws InputError for `q` and `messages` together */
export function getContext(principal: Principal, body: GetContextInput): GetContext {
  const { containerTag, maxTokens, tokenizer, includeProfile, includeRecent, threshold } = body;
  return new GetContext(principal, containerTag === undefined ? [] : [containerTag], {
    ...{ question: questionOf(body), maxTokens, tokenizer },
    ...{ includeProfile, includeRecent, threshold, asOf: momentOf(body) },
  });
}

function questionOf({ q, messages }: GetContextInput): string | null {
  if (q !== undefined && messages !== undefined) throw invalid('messages', 'q and messages exclude each other');
  const question = messages === undefined ? (q ?? '') : lastTurns(messages);
  return question.trim() === '' ? null : question;
}

/** Joins the last turns of the user. One that is too long for the others is a question by itself. */
function lastTurns(messages: readonly unknown[]): string {
  const turns: string[] = [];
  for (const turn of userTurns(messages)) {
    const joined = [turn, ...turns].join('\n');
    if (turns.length === LAST_TURNS.turns || (turns.length > 0 && joined.length > LAST_TURNS.characters)) break;
    turns.unshift(turn);
  }
  return turns.join('\n').slice(-MAX_QUESTION);
}
