import { errorRecord, ResourceError } from '#platform/kernel';

/** A process of its own for the specs: sends one error to its parent, and ends. */
process.send?.(errorRecord(new ResourceError('no_space', 'the disk is full', { details: { path: '/x' } })), () =>
  process.disconnect(),
);
