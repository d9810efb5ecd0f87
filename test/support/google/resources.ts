import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { type Drive, type DriveFile, FOLDER, SHORTCUT, type SharedDrive } from './drive.ts';

const EDITED = 'https://docs.google.com';
const iso = (time: number) => new Date(time).toISOString();
const hash = (name: string, content: Buffer) => createHash(name).update(content).digest('hex');

export function userResource(email: string, me: string): object {
  const [name = ''] = email.split('@');
  const displayName = name.charAt(0).toUpperCase() + name.slice(1);
  const permissionId = String(Number.parseInt(hash('md5', Buffer.from(email)).slice(0, 12), 16));
  return { kind: 'drive#user', displayName, me: email === me, permissionId, emailAddress: email };
}

/** All fields of a file. What a kind of file does not have is left out. */
export function fileResource(drive: Drive, file: DriveFile): object {
  const { id, name, mimeType, parent, driveId, content } = file;
  const [ownedByMe, shared] = [file.owner === drive.user && driveId === null, drive.isSharedWithMe(file)];
  const target = file.target === null ? undefined : drive.files.get(file.target);
  return {
    ...{ kind: 'drive#file', id, name, mimeType, spaces: ['drive'], starred: false, version: String(file.version) },
    ...(parent !== null && { parents: [parent] }),
    ...(driveId === null
      ? { owners: [userResource(file.owner, drive.user)], ownedByMe, shared }
      : { driveId, teamDriveId: driveId, ownedByMe: false, shared: true }),
    ...(shared && { sharedWithMeTime: iso(file.createdTime) }),
    ...{ trashed: drive.isTrashed(file), explicitlyTrashed: file.isTrashed },
    ...{ createdTime: iso(file.createdTime), modifiedTime: iso(file.modifiedTime) },
    lastModifyingUser: userResource(file.owner, drive.user),
    webViewLink: linkOf(file),
    capabilities: { canDownload: file.refusal !== 'cannotDownload', canListChildren: mimeType === FOLDER },
    ...(content !== null && {
      ...{ size: String(content.length), quotaBytesUsed: String(content.length), originalFilename: name },
      ...{ md5Checksum: hash('md5', content), sha1Checksum: hash('sha1', content) },
      ...{ sha256Checksum: hash('sha256', content), headRevisionId: `0B${file.number}r${file.revision}` },
      ...{ fileExtension: extname(name).slice(1), fullFileExtension: extname(name).slice(1) },
    }),
    ...(isDocument(file) && {
      size: '1024',
      exportLinks: Object.fromEntries(Object.keys(file.exports).map((type) => [type, exportLink(id, type)])),
    }),
    ...(file.target !== null && {
      shortcutDetails: { targetId: file.target, ...(target !== undefined && { targetMimeType: target.mimeType }) },
    }),
  };
}

export const isDocument = ({ mimeType, content }: DriveFile) =>
  content === null && mimeType !== FOLDER && mimeType !== SHORTCUT;

export const driveResource = ({ id, name, createdTime }: SharedDrive): object => ({
  ...{ kind: 'drive#drive', id, name, createdTime: iso(createdTime), hidden: false },
});

const exportLink = (id: string, type: string) => `${EDITED}/feeds/download/documents/export?id=${id}&type=${type}`;

function linkOf(file: DriveFile): string {
  if (file.mimeType === FOLDER) return `https://drive.google.com/drive/folders/${file.id}`;
  const kind = /google-apps\.(document|spreadsheet|presentation)$/.exec(file.mimeType)?.[1];
  if (kind === undefined) return `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`;
  return `${EDITED}/${kind === 'spreadsheet' ? 'spreadsheets' : kind}/d/${file.id}/edit?usp=drivesdk`;
}
