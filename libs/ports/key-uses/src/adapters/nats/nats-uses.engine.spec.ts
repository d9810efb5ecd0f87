import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { useStoreContract } from '../../use-store.contract.ts';
import { NatsUses } from './nats-uses.ts';

describe('NatsUses', () => {
  const nats = natsSuite();
  useStoreContract(() => NatsUses.open(nats.options));
});
