import type { OrganizationId, Role } from '#platform/kernel';
import {
  decideAdmit,
  decideChange,
  decideExpire,
  decideIdentify,
  decideInvite,
  decideJoin,
  decideMailed,
  decideNoOwner,
  decideOwner,
  decideRemove,
  decideWithdraw,
} from './decide.ts';
import type { MemberEvent, OwnersEvent } from './events.ts';
import { foldMember, foldOwners } from './evolve.ts';
import { absent, type MemberState, noOwners } from './state.ts';

const organization = 'acme' as OrganizationId;
const by = (role: Role, of = organization) => ({ organization: of, role });
const stranger = by('owner', 'other' as OrganizationId);
const tags = [{ containerTag: 'handbook', permission: 'read' }] as const;

const stored = ({ type, payload }: MemberEvent | OwnersEvent) => ({
  envelope: { at: '2026-01-02T03:04:05.678Z', organization, tags: [], correlationId: 'c', type },
  payload: payload as never,
});
const given = (...events: readonly MemberEvent[]): MemberState =>
  events.reduce((state, event) => foldMember(state, stored(event)), absent);

const wish = (role: Role = 'member', containerTags: typeof tags | null = null) => ({
  ...{ id: 'm1', email: 'ada@example.com', role, containerTags, hash: 'h', expiresAt: 1_000 },
});
const invited = (...args: Parameters<typeof wish>): MemberEvent => ({ type: 'MemberInvited', payload: wish(...args) });
const joined: MemberEvent = { type: 'MemberJoined', payload: { name: 'Ada' } };
const removed: MemberEvent = { type: 'MemberRemoved', payload: null };
const refused = (error: string) => ({ ok: false, error });

describe('an invitation', () => {
  test.each<[Role, Role, boolean]>([
    ['owner', 'owner', true],
    ['admin', 'admin', true],
    ['admin', 'member', true],
    ['admin', 'owner', false],
    ['member', 'admin', false],
  ])('of %s for %s: %s', (role, asWhat, isAllowed) => {
    const decided = decideInvite(by(role), wish(asWhat));
    expect(decided).toEqual(isAllowed ? { ok: true, value: [invited(asWhat)] } : refused('member_above_role'));
  });

  test('with tags is for members only', () => {
    expect(decideInvite(by('owner'), wish('member', tags))).toMatchObject({ ok: true });
    expect(decideInvite(by('owner'), wish('admin', tags))).toEqual(refused('restricted_role'));
  });

  test('given one that is pending, when it is accepted, then the person is a member with its role and tags', () => {
    const state = given(invited('member', tags));
    const decided = decideJoin(state, { name: 'Ada', identity: null }, 999);
    expect(decided).toEqual({ ok: true, value: [joined] });
    expect(given(invited('member', tags), joined)).toMatchObject({
      status: 'joined',
      member: { id: 'm1', email: 'ada@example.com', name: 'Ada', role: 'member', containerTags: tags, organization },
    });
  });

  test.each<[string, MemberState, number]>([
    ['none', absent, 0],
    ['one that has expired', given(invited()), 1_000],
    ['one that was accepted', given(invited(), joined), 0],
    ['one that was withdrawn', given(invited(), { type: 'InvitationWithdrawn', payload: null }), 0],
  ])('given %s, when it is accepted, then it is refused', (_, state, now) => {
    expect(decideJoin(state, { name: null, identity: null }, now)).toEqual(refused('invitation_not_found'));
  });

  test('given one that is pending, when it is withdrawn, then it has ended; only by who could have made it', () => {
    const state = given(invited('owner'));
    expect(decideWithdraw(state, by('admin'))).toEqual(refused('member_above_role'));
    expect(decideWithdraw(state, stranger)).toEqual(refused('invitation_not_found'));
    expect(decideWithdraw(state, by('owner'))).toEqual({
      ok: true,
      value: [{ type: 'InvitationWithdrawn', payload: null }],
    });
    expect(decideWithdraw(given(invited(), joined), by('owner'))).toEqual(refused('invitation_not_found'));
  });

  test('given one that is over, then that is recorded once', () => {
    const over: MemberEvent = { type: 'InvitationExpired', payload: null };
    expect(decideExpire(given(invited()), 999)).toEqual([]);
    expect(decideExpire(given(invited()), 1_000)).toEqual([over]);
    expect(decideExpire(given(invited(), over), 1_000)).toEqual([]);
    expect(decideExpire(given(invited(), joined), 1_000)).toEqual([]);
  });

  test('given one that is pending, what became of its mail is noted', () => {
    const [mailed] = decideMailed(given(invited()), 'unknown user');
    expect(given(invited(), mailed as MemberEvent)).toMatchObject({ invitation: { mail: { error: 'unknown user' } } });
    expect(decideMailed(given(invited(), joined), null)).toEqual([]);
  });
});

describe('a member', () => {
  test.each<[string, Role, Role, object, string | object]>([
    ['an admin promotes a member to admin', 'admin', 'member', { role: 'admin' }, { role: 'admin' }],
    ['an admin promotes a member to owner', 'admin', 'member', { role: 'owner' }, 'member_above_role'],
    ['an admin demotes an owner', 'admin', 'owner', { role: 'member' }, 'member_above_role'],
    ['an owner demotes an owner', 'owner', 'owner', { role: 'member' }, { role: 'member' }],
    ['tags are given to a member', 'admin', 'member', { containerTags: tags }, { containerTags: tags }],
    ['tags are given to an admin', 'owner', 'admin', { containerTags: tags }, 'restricted_role'],
    [
      'an admin becomes a member with tags',
      'owner',
      'admin',
      { role: 'member', containerTags: tags },
      { role: 'member', containerTags: tags },
    ],
  ])('when %s', (_, role, former, changes, expected) => {
    const decided = decideChange(given(invited(former), joined), by(role), changes);
    expect(decided).toEqual(
      typeof expected === 'string'
        ? refused(expected)
        : { ok: true, value: [{ type: 'MemberChanged', payload: expected }] },
    );
  });

  test('given tags, when the role is to be above member, then all tags have to be given with it', () => {
    const state = given(invited('member', tags), joined);
    expect(decideChange(state, by('owner'), { role: 'admin' })).toEqual(refused('restricted_role'));
    expect(decideChange(state, by('owner'), { role: 'admin', containerTags: null })).toMatchObject({ ok: true });
  });

  test('when it gets what it has, then nothing is recorded', () => {
    const state = given(invited('member', tags), joined);
    expect(decideChange(state, by('owner'), { role: 'member', containerTags: [...tags] })).toEqual({
      ok: true,
      value: [],
    });
  });

  test('of another organization does not exist, neither does one that was removed', () => {
    const state = given(invited(), joined);
    expect(decideChange(state, stranger, { role: 'admin' })).toEqual(refused('member_not_found'));
    expect(decideRemove(state, stranger)).toEqual(refused('member_not_found'));
    expect(decideRemove(given(invited(), joined, removed), by('owner'))).toEqual(refused('member_not_found'));
    expect(decideRemove(given(invited()), by('owner'))).toEqual(refused('member_not_found'));
  });

  test('is removed by who has its role at least', () => {
    expect(decideRemove(given(invited('owner'), joined), by('admin'))).toEqual(refused('member_above_role'));
    expect(decideRemove(given(invited('admin'), joined), by('admin'))).toEqual({ ok: true, value: [removed] });
  });

  test('given an erased stream, then nothing of the person is known', () => {
    const erased = [invited(), joined].map((event) => ({ ...stored(event), payload: null }));
    const state = [...erased, stored(removed)].reduce(foldMember, absent);
    expect(state).toEqual({ status: 'ended' });
  });
});

describe('owners', () => {
  const owners = (...events: readonly OwnersEvent[]) =>
    events.reduce((state, event) => foldOwners(state, stored(event)), noOwners);
  const added = (id: string): OwnersEvent => ({ type: 'OwnerAdded', payload: { id } });

  test('given two, one may leave, then the last one stays until there is another', () => {
    const two = owners(added('a'), added('b'));
    const left = decideNoOwner(two, 'a');
    expect(left).toEqual({ ok: true, value: [{ type: 'OwnerRemoved', payload: { id: 'a' } }] });
    const one = owners(added('a'), added('b'), ...(left.ok ? left.value : []));
    expect(decideNoOwner(one, 'b')).toEqual(refused('last_owner'));
    expect(decideOwner(one, 'a')).toEqual([added('a')]);
    expect(decideOwner(one, 'b')).toEqual([]);
  });

  test('given none, nothing is protected', () => {
    expect(decideNoOwner(noOwners, 'a')).toEqual({ ok: true, value: [] });
  });
});

describe('an account', () => {
  const identity = { issuer: 'https://id.example', subject: 'ada' };
  const identified: MemberEvent = { type: 'MemberIdentified', payload: identity };

  test('identifies who joins with it, and who has joined without one', () => {
    const joining = decideJoin(given(invited()), { name: 'Ada', identity }, 999);
    expect(joining).toEqual({ ok: true, value: [joined, identified] });
    expect(decideIdentify(given(invited(), joined), identity)).toEqual({ ok: true, value: [identified] });
    expect(given(invited(), joined, identified)).toMatchObject({ member: { identity } });
  });

  test('stays that of the member: again it changes nothing, and another one is refused', () => {
    const state = given(invited(), joined, identified);
    expect(decideIdentify(state, identity)).toEqual({ ok: true, value: [] });
    const other = { ...identity, subject: 'grace' };
    expect(decideIdentify(state, other)).toEqual(refused('other_identity'));
    expect(decideIdentify(state, { ...identity, issuer: 'https://other.example' })).toEqual(refused('other_identity'));
    expect(decideIdentify(given(invited()), identity)).toEqual(refused('member_not_found'));
    expect(decideIdentify(given(invited(), joined, removed), identity)).toEqual(refused('member_not_found'));
  });

  test('makes a member without an invitation, who reaches no tag', () => {
    const person = { id: 'm1', email: 'ada@example.com', name: null, role: 'member', containerTags: [] } as const;
    expect(given(...decideAdmit(person, identity))).toMatchObject({
      ...{ status: 'joined', member: { ...person, organization, identity } },
    });
  });
});
