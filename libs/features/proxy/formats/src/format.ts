import type { CountTokens } from '#platform/tokens';

/** One turn of a conversation as memory stores it. Tool calls, their results, images and thinking are in none. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  /** Not empty, and without the block of memory. */
  readonly text: string;
}

/** What a call gets on its way to the provider. */
export interface Change {
  /** Becomes the last part of the system text; see `memoryBlock`. */
  readonly block?: string | undefined;
  /** Turns that the client has left out, oldest first. */
  readonly history?: readonly Turn[] | undefined;
  /** The oldest turns leave above this number of tokens. Default: all stay. */
  readonly maxTokens?: number | undefined;
}

export interface Rewritten {
  /** The bytes that were read if nothing has changed. */
  readonly body: Buffer;
  /** Of all that is sent: system text, tools, turns. */
  readonly tokens: number;
  /** Tokens of the turns that were left out. */
  readonly saved: number;
  /** Turns of the request and of `history` that were left out, tool calls and results included. */
  readonly dropped: number;
}

/** A request body that was understood. */
export interface ChatCall {
  /** In order, without system text. */
  readonly turns: readonly Turn[];
  /** The field `user` of OpenAI's formats. */
  readonly user?: string | undefined;
  readonly model?: string | undefined;
  readonly stream: boolean;
  /** The provider keeps the earlier turns: none are put in front and none left out, and the block may have no place. */
  readonly isStateful: boolean;
  /**
   * Puts history in front, leaves out the oldest turns, and makes the block the last part of the system text. Every other
   * byte stays. @throws what `count` throws
   */
  rewrite(change: Change, count: CountTokens): Promise<Rewritten>;
}

/** Tokens as the provider counts them. OpenAI and Gemini include the cached ones in `input`, Anthropic does not. */
export interface Usage {
  input?: number;
  cached?: number;
  output?: number;
}

export interface Answer {
  /** What the assistant says, one for each message of the answer; of several choices, the first. */
  readonly turns: readonly Turn[];
  readonly usage: Usage;
  /** The provider has ended the answer; false if it was cut. */
  readonly isComplete: boolean;
}

/** Reads an answer that passes by. Never throws. */
export interface AnswerReader {
  /** @param chunk cut anywhere */
  push(chunk: Uint8Array): void;
  end(): Answer;
}

/** A form of request and answer that providers share. */
export interface ChatFormat {
  readonly name: 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini';
  /** Whether a call with this method and path, without query, is a chat call of the format. */
  takes(method: string, path: string): boolean;
  /** Returns undefined if the body is not what the format describes: it then passes unchanged. */
  read(body: Buffer, path: string): ChatCall | undefined;
  /** @param contentType of the answer. Server-sent events are read as they come, anything else as JSON at the end. */
  answer(contentType: string | undefined): AnswerReader;
}
