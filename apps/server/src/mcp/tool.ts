import { type InputClass, readInput, type UnknownKeys } from '#platform/input';
import { type JsonObject, mayCall, type Permission } from '#platform/kernel';
import type { RequestType } from '#ports/analytics';
import { refusalError } from '../http/errors/refusals.ts';
import type { Caller, Services } from './caller.ts';
import { type About, argumentsSchema, type ObjectSchema } from './schema.ts';

/** What a tool answers: the same for a model to read and for a program. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: JsonObject;
}

/** A tool as clients list it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: JsonObject;
  /** As what the analytics count its calls. */
  readonly countedAs: RequestType;
  /** @throws InputError, ApiError and errors of the use cases, as over HTTP */
  call(services: Services, caller: Caller, given: unknown, unknownKeys: UnknownKeys): Promise<ToolAnswer>;
}

interface Declared<Input extends object> extends Omit<Tool, 'inputSchema' | 'outputSchema' | 'annotations' | 'call'> {
  readonly permission: Extract<Permission, 'read' | 'write'>;
  readonly input: InputClass<Input>;
  readonly about: About<Input>;
  readonly output: ObjectSchema;
  run(services: Services, caller: Caller, input: Input): Promise<ToolAnswer>;
}

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const CHANGES = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };

export function tool<Input extends object>(declared: Declared<Input>): Tool {
  const { name, title, description, countedAs, permission, input, about, output } = declared;
  return {
    ...{ name, title, description, countedAs },
    inputSchema: argumentsSchema(input, about),
    outputSchema: output,
    annotations: { title, ...(permission === 'read' ? READS : CHANGES) },
    async call(services, caller, given, unknownKeys) {
      if (!mayCall(caller.principal, permission)) throw refusalError('forbidden');
      return declared.run(services, caller, readInput(input, given ?? {}, unknownKeys));
    },
  };
}
