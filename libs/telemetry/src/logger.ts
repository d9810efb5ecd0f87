import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, pino } from 'pino';

/**
 * Writes to standard error: short lines on a terminal, otherwise one line of JSON per entry. Standard output is for messages
 * to the operator.
 */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  warn(message: string): void;
  error(message: string): void;
  /** Returns the same log as a logger of Nest. */
  forNest(): LoggerService;
}

export function createLogger(level: Level | 'silent'): Logger {
  const out = process.stderr.isTTY ? linesForPeople() : pino.destination({ fd: 2, sync: false });
  const log = pino({ level, base: undefined, redact: ['req.headers.authorization'] }, out);
  // Nest passes the context, a class name, as the last argument.
  const line =
    (write: (fields: object, message: string) => void) =>
    (message: unknown, ...rest: unknown[]) =>
      write({ context: rest.at(-1) }, message instanceof Error ? (message.stack ?? message.message) : String(message));
  return {
    debug: (message, fields = {}) => log.debug(fields, message),
    info: (message, fields = {}) => log.info(fields, message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(message),
    forNest: () => ({
      // Nest logs every route and module that it sets up.
      log: line((fields, message) => log.debug(fields, message)),
      debug: line((fields, message) => log.debug(fields, message)),
      verbose: line((fields, message) => log.trace(fields, message)),
      warn: line((fields, message) => log.warn(fields, message)),
      error: line((fields, message) => log.error(fields, message)),
      fatal: line((fields, message) => log.fatal(fields, message)),
    }),
  };
}

/** Loaded on a terminal only. */
function linesForPeople(): DestinationStream {
  const require = createRequire(import.meta.url);
  const pretty = require('pino-pretty') as (options: object) => DestinationStream;
  return pretty({
    destination: 2,
    // Nothing is lost when the process exits.
    sync: true,
    colorize: process.stderr.hasColors(),
    translateTime: 'SYS:HH:MM:ss',
    singleLine: true,
  });
}
