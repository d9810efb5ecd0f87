export { createLogger, type Logger } from './logger.ts';
export { runProcess, sentenceOf } from './run-process.ts';
