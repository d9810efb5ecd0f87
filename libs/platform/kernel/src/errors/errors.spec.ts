import { fork } from 'node:child_process';
import { once } from 'node:events';
import { errorFromRecord, errorRecord } from './error-record.ts';
import { hasCode, isMnemeError, isTransient, mnemeError } from './mneme-error.ts';
import { ResourceError, translateFileError } from './resource-error.ts';

class Fenced extends mnemeError('fenced', 'fenced') {}

class Unknown extends mnemeError(undefined, 'unknown') {}

describe('an error of this program', () => {
  const cause = new TypeError('cause');
  const error = new Fenced('taken over', { details: { token: 7 }, cause });

  it('has the name of its class, a kind, a code, details and a cause', () => {
    expect(error).toMatchObject({
      name: 'Fenced',
      message: 'taken over',
      kind: 'fenced',
      code: 'fenced',
      details: { token: 7 },
      cause,
    });
    expect(isMnemeError(error)).toBe(true);
    expect(hasCode(error, 'busy', 'fenced')).toBe(true);
    expect(hasCode(error, 'busy')).toBe(false);
    expect(isTransient(error)).toBe(false);
    expect(isTransient(new ResourceError('busy', 'locked'))).toBe(true);
  });

  it('is no foreign error that has the same fields', () => {
    const foreign = Object.assign(new Error('x'), { kind: 'transient', code: 'busy' });
    for (const value of [foreign, null, 'busy', undefined]) {
      expect([isMnemeError(value), hasCode(value, 'busy'), isTransient(value)]).toEqual([false, false, false]);
    }
  });
});

describe('a record of an error', () => {
  const byJson = (value: unknown) => JSON.parse(JSON.stringify(value));
  const ways: [string, (value: unknown) => never][] = [
    ['a structured clone', (value) => structuredClone(value) as never],
    ['JSON', byJson as never],
  ];

  it.each(ways)('keeps name, message, stack, kind, code and details through %s', (_way, cross) => {
    const error = new Fenced('taken over', { details: { token: 7 } });
    const arrived = errorFromRecord(cross(errorRecord(error)));
    const { name, message, stack, kind, code, details } = error;
    expect(arrived).toMatchObject({ name, message, stack, kind, code, details });
    expect(hasCode(arrived, 'fenced')).toBe(true);
  });

  it.each(ways)('keeps that the kind is unknown through %s', (_way, cross) => {
    const arrived = errorFromRecord(cross(errorRecord(new Unknown('x'))));
    expect(arrived).toMatchObject({ kind: undefined, code: 'unknown', details: undefined });
    expect(isMnemeError(arrived)).toBe(true);
  });

  it('can be sent on by the process that received it', () => {
    const record = errorRecord(new Fenced('taken over', { details: [1] }));
    expect(errorRecord(errorFromRecord(record))).toEqual(record);
  });

  it('of a foreign error has a name and a message, and not its code', () => {
    const record = errorRecord(Object.assign(new RangeError('far'), { code: 'EIO', kind: 'transient' }));
    expect(record).toEqual({ name: 'RangeError', message: 'far', stack: expect.any(String) });
    const arrived = errorFromRecord(record);
    expect(arrived).toMatchObject({ name: 'RangeError', message: 'far' });
    expect(isMnemeError(arrived)).toBe(false);
  });

  it('of a value that is no error has its text', () => {
    expect(errorRecord('thrown')).toEqual({ name: 'Error', message: 'thrown' });
  });

  it('crosses to another process', async () => {
    const child = fork(new URL('./full-disk.fixture.ts', import.meta.url), {
      execArgv: ['--conditions=mneme-source', '--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
    });
    const [record] = await once(child, 'message');
    const arrived = errorFromRecord(record);
    expect(arrived).toMatchObject({
      name: 'ResourceError',
      kind: 'transient',
      code: 'no_space',
      details: { path: '/x' },
    });
    expect(isTransient(arrived)).toBe(true);
  });
});

describe('an error of node:fs', () => {
  it.each([
    ['ENOSPC', 'no_space'],
    ['EDQUOT', 'no_space'],
    ['EMFILE', 'too_many_files'],
    ['ENFILE', 'too_many_files'],
    ['EBUSY', 'busy'],
    ['EIO', 'io_error'],
    ['EROFS', 'io_error'],
    ['ESTALE', 'io_error'],
  ])('%s is transient: %s', (code, translated) => {
    const cause = Object.assign(new Error(`${code}: write`), { code });
    expect(translateFileError(cause)).toMatchObject({
      kind: 'transient',
      code: translated,
      message: cause.message,
      cause,
    });
  });

  it.each([Object.assign(new Error('absent'), { code: 'ENOENT' }), new Error('x'), 'ENOSPC', null])(
    'that is something else stays as it is: %p',
    (value) => {
      expect(translateFileError(value)).toBe(value);
    },
  );
});
