export type { Answer, AnswerReader, ChatCall, ChatFormat, Turn } from './format.ts';
export { CHAT_FORMATS } from './formats.ts';
export { hashOfTurn, type NewTurns, newTurns, type TurnHash } from './known-turns.ts';
export { memoryBlock, withoutBlock } from './memory-block.ts';
export { TextTokens } from './text-tokens.ts';
