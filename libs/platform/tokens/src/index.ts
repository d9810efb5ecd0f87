export { type CountTokens, TOKENIZERS, TokenCounters, type Tokenizer } from './token-counters.ts';
