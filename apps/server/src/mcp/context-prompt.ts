import { IsContainerTag, IsFlag, readInput } from '#platform/input';
import type { Caller, Services } from './caller.ts';
import { profileText, readProfile } from './profile-text.ts';
import { paragraphs, STORED } from './stored-text.ts';

class Arguments {
  @IsContainerTag()
  containerTag?: string;

  @IsFlag()
  includeRecent = true;
}

/** As clients list it. */
export const CONTEXT_PROMPT = {
  name: 'context',
  title: 'What is known',
  description: 'What is known about the user, for the beginning of a conversation.',
  arguments: [
    { name: 'containerTag', description: 'Space (container tag). Default: the usual one.', required: false },
    { name: 'includeRecent', description: 'false: without recent activity. Default: true.', required: false },
  ],
};

const TASK =
  'You have a memory of earlier conversations. When something is said that is worth remembering (lasting facts, preferences, ' +
  'decisions), save it with the tool add_memory.';
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false };

/** @throws InputError for wrong arguments, ForbiddenError, and errors of the use cases */
export async function contextPrompt(services: Services, caller: Caller, given: Readonly<Record<string, unknown>> = {}) {
  const { includeRecent: flag } = given;
  // Arguments of prompts are text.
  const includeRecent = typeof flag === 'string' ? (FLAGS[flag] ?? flag) : flag;
  const input = readInput(Arguments, { ...given, includeRecent }, 'ignore');
  const known = profileText(await readProfile(services, caller, input));
  return paragraphs(
    TASK,
    '# The user',
    known === '' ? 'Nothing is remembered about the user yet.' : paragraphs(STORED, known),
  );
}
