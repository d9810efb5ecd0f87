import { natsSuite } from '../../../../../platform/nats/src/testing/nats-suite.ts';
import { quotaCountsContract } from '../../quota-counts.contract.ts';
import { NatsQuotaCounts } from './nats-quota-counts.ts';

describe('NatsQuotaCounts', () => {
  const nats = natsSuite();
  quotaCountsContract(() => NatsQuotaCounts.open(nats.options));
});
