import { rateLimiterContract } from '../../rate-limiter.contract.ts';
import { MemoryRateLimiter } from './memory-rate-limiter.ts';

describe('MemoryRateLimiter', () => {
  rateLimiterContract(async () => new MemoryRateLimiter());
});
