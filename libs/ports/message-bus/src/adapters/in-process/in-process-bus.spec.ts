import { messageBusContract } from '../../message-bus.contract.ts';
import { InProcessBus } from './in-process-bus.ts';

messageBusContract('in process', async () => {
  const bus = new InProcessBus();
  return { bus, strategy: bus };
});
