import { createRequire } from 'node:module';
import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Level, pino } from 'pino';
import { LogOutput } from './log-output.ts';

/**
 * Writes to standard error: short lines on a terminal, otherwise one line of JSON per entry. Never waits for it. Standard
 * output is for messages to the operator.
 */
export interface Logger {
  debug(message: string, fields?: object): void;
  info(message: string, fields?: object): void;
  /** @param cause the error that the message is about */
  warn(message: string, cause?: unknown): void;
  /** @param cause the error that the message is about */
  error(message: string, cause?: unknown): void;
  /** From now on, lines with a cause pass a gate. */
  setGate(gate: LogGate): void;
  /** Returns the same log as a logger of Nest. */
  forNest(): LoggerService;
}

/** @param write writes the line; may be called later, or not at all */
export type LogGate = (cause: unknown, write: () => void) => void;

export function createLogger(level: Level | 'silent'): Logger {
  const log = pino({ level, base: undefined, redact: ['req.headers.authorization'] }, standardError());
  let gate: LogGate = (_, write) => write();
  const gated = (cause: unknown, write: () => void) => (cause === undefined ? write() : gate(cause, write));
  // Nest passes the context, a class name, as the last argument.
  const line =
    (write: (fields: object, message: string) => void) =>
    (message: unknown, ...rest: unknown[]) =>
      gated(
        rest.find((one) => one instanceof Error),
        () =>
          write(
            { context: rest.at(-1) },
            message instanceof Error ? (message.stack ?? message.message) : String(message),
          ),
      );
  return {
    debug: (message, fields = {}) => log.debug(fields, message),
    info: (message, fields = {}) => log.info(fields, message),
    warn: (message, cause) => gated(cause, () => log.warn(message)),
    error: (message, cause) => gated(cause, () => log.error(message)),
    setGate: (next) => {
      gate = next;
    },
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

let opened: DestinationStream | undefined;

/** One for all loggers of the process, so that their lines keep their order. */
function standardError(): DestinationStream {
  if (opened !== undefined) return opened;
  const format = process.stderr.isTTY ? formatForPeople() : (line: string) => line;
  const output = new LogOutput(2, (lines) => format(lossLine(lines)));
  process.once('exit', () => output.flush());
  opened = { write: (line) => output.write(format(line)) };
  return opened;
}

function lossLine(lines: number): string {
  const msg = `${lines} lines of the log were lost: standard error did not take them`;
  return `${JSON.stringify({ level: pino.levels.values.warn, time: Date.now(), msg })}\n`;
}

/** Loaded on a terminal only. */
function formatForPeople(): (line: string) => string {
  const require = createRequire(import.meta.url);
  const { prettyFactory } = require('pino-pretty') as typeof import('pino-pretty');
  return prettyFactory({ colorize: process.stderr.hasColors(), translateTime: 'SYS:HH:MM:ss', singleLine: true });
}
