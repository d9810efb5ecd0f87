import type { OrganizationId } from './ids.ts';
import type { Principal } from './principal.ts';
import { pastScopeOf, readScope, scopeOf, writeScope } from './scope.ts';

const principal = (tags: Principal['tags']): Principal => ({
  ...{ organization: 'acme' as OrganizationId, keyId: 'k1', role: 'member', tags, writableTags: [] },
});

test.each<[Principal['tags'], readonly string[], Principal['tags']]>([
  ['all', [], 'all'],
  ['all', ['a'], ['a']],
  [['a', 'b'], [], ['a', 'b']],
  [['a', 'b'], ['b'], ['b']],
  [[], [], []],
])('a key for the tags %j that names %j reads %j', (tags, named, expected) => {
  expect(scopeOf(principal(tags), named)).toEqual({ organization: 'acme', tags: expected });
});

test('a tag that the key may not read is refused by its name', () => {
  expect(() => scopeOf(principal(['a']), ['a', 'c'])).toThrow(
    expect.objectContaining({ code: 'forbidden', message: 'The key may not read c' }),
  );
});

describe('a question about a past time', () => {
  const [TIME, rights] = [1_000, { organization: 'acme', tags: ['a', 'b'] }] as const;

  test('sees what the tags of today permit, and selects by those of then', () => {
    expect(pastScopeOf(principal(['a', 'b']), ['b'], TIME)).toEqual({ scope: rights, tagsThen: ['b'] });
    expect(pastScopeOf(principal(['a', 'b']), [], TIME)).toEqual({ scope: rights, tagsThen: 'all' });
    expect(() => pastScopeOf(principal(['a']), ['c'], TIME)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });

  test('is one about the present without a time', () => {
    expect(pastScopeOf(principal(['a', 'b']), ['b'], null)).toEqual({ scope: { organization: 'acme', tags: ['b'] } });
  });
});

test('a read of single documents is permitted by the readable tags, a write by the writable ones', () => {
  const limited: Principal = { ...principal(['a', 'b']), writableTags: ['b'] };
  expect(readScope(limited)).toEqual({ organization: 'acme', tags: ['a', 'b'], access: 'read' });
  expect(writeScope(limited, ['a'])).toEqual({
    ...{ organization: 'acme', tags: ['b'], readable: ['a', 'b'] },
    ...{ access: 'write', picked: ['a'] },
  });
});
