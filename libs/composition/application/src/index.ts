export { ApplicationModule } from './application.module.ts';
export { EntityContexts } from './entity-contexts.ts';
export { ForgetMatchingInput } from './forget-matching.input.ts';
export { type MatchedMemories, MatchingMemories } from './matching-memories.ts';
