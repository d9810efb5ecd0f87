import fc from 'fast-check';
import { adds } from './add.ts';
import { batches } from './batch.ts';
import { repeatedDeltas, textChanges } from './change-text.ts';
import type { Command } from './command.ts';
import { bulkDeletions, deletions } from './delete.ts';
import { crashes, replays, restarts } from './failures.ts';
import { forgettings, matchings, recordings, restorations, revisions } from './memories.ts';
import { passageForgettings, passageRestorations, passageRevisions } from './passages.ts';
import { patches } from './patch.ts';
import { tagDeletions, tagMerges, tagNames } from './tags.ts';
import { repeatedUploads, uploads } from './upload.ts';

/** Every command, with how often it occurs: another one is a file and a line here. */
const COMMANDS: readonly fc.WeightedArbitrary<Command>[] = [
  { weight: 8, arbitrary: adds },
  { weight: 8, arbitrary: textChanges },
  { weight: 3, arbitrary: repeatedDeltas },
  { weight: 4, arbitrary: uploads },
  { weight: 2, arbitrary: repeatedUploads },
  { weight: 4, arbitrary: batches },
  { weight: 6, arbitrary: patches },
  { weight: 3, arbitrary: deletions },
  { weight: 2, arbitrary: bulkDeletions },
  { weight: 2, arbitrary: tagNames },
  { weight: 1, arbitrary: tagDeletions },
  { weight: 2, arbitrary: tagMerges },
  { weight: 5, arbitrary: recordings },
  { weight: 4, arbitrary: revisions },
  { weight: 3, arbitrary: forgettings },
  { weight: 1, arbitrary: matchings },
  { weight: 3, arbitrary: restorations },
  { weight: 3, arbitrary: passageRevisions },
  { weight: 3, arbitrary: passageForgettings },
  { weight: 2, arbitrary: passageRestorations },
  { weight: 6, arbitrary: crashes },
  { weight: 1, arbitrary: restarts },
  { weight: 1, arbitrary: replays },
];

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(...COMMANDS);
