export { createLogger, type Logger } from './logger.ts';
export { translateListenError } from './port-in-use.ts';
export { runProcess, sentenceOf } from './run-process.ts';
