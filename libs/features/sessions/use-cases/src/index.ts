export { AcceptWithSession } from './accept-with-session/accept-with-session.command.ts';
export { EndSession } from './end-session/end-session.command.ts';
export { ListMemberships, type Membership } from './list-memberships/list-memberships.query.ts';
export { SessionsModule } from './sessions.module.ts';
export { SignIn, type SignInRefusal } from './sign-in/sign-in.command.ts';
export { StartSession, type StartSessionRefusal } from './start-session/start-session.command.ts';
export type { SwitchRefusal } from './switch-organization/switch-organization.command.ts';
export { SwitchOrganizationInput, switchOrganization } from './switch-organization/switch-organization.input.ts';
