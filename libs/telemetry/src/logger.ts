import type { LoggerService } from '@nestjs/common';
import { type Level, pino } from 'pino';

/** One line of JSON per entry on standard error, so that standard output stays for people. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
  /** What Nest and its parts log with. */
  forNest(): LoggerService;
}

export function createLogger(level: Level | 'silent'): Logger {
  const log = pino(
    { level, base: undefined, redact: ['req.headers.authorization'] },
    pino.destination({ fd: 2, sync: false }),
  );
  // Nest passes the context, a class name, as the last argument.
  const line =
    (write: (fields: object, message: string) => void) =>
    (message: unknown, ...rest: unknown[]) =>
      write({ context: rest.at(-1) }, message instanceof Error ? (message.stack ?? message.message) : String(message));
  return {
    debug: (message) => log.debug(message),
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
    forNest: () => ({
      // Nest tells each route and module that it sets up; that is detail here.
      log: line((fields, message) => log.debug(fields, message)),
      debug: line((fields, message) => log.debug(fields, message)),
      verbose: line((fields, message) => log.trace(fields, message)),
      warn: line((fields, message) => log.warn(fields, message)),
      error: line((fields, message) => log.error(fields, message)),
      fatal: line((fields, message) => log.fatal(fields, message)),
    }),
  };
}
