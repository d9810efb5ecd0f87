export { checkListening, type ListenAddress, translateListenError, urlOf } from './listening.ts';
export { createLogger, type LogGate, type Logger } from './logger.ts';
export { openMetrics } from './metrics/open-metrics.ts';
export type { Metrics } from './metrics/port.ts';
export { timed } from './metrics/timed.ts';
export { runProcess, sentenceOf } from './run-process.ts';
