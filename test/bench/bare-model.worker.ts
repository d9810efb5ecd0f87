/** A thread that runs the bare model at the priority of the product's passage embedding. */
import { constants, setPriority } from 'node:os';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { serve } from '#platform/thread-calls';
import { type ModelFiles, openBareModel } from '#ports/models';

export interface BareModelThread {
  embed(texts: readonly string[]): Promise<void>;
}

// On Linux this sets the priority of this thread only.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const opening = openBareModel(workerData as ModelFiles);

serve<BareModelThread>(parentPort as MessagePort, {
  async embed(texts) {
    await (await opening).embed('passage', texts);
  },
});
