import { IsContainerTag } from '#platform/input';
import { isoTime, permits, writeScope } from '#platform/kernel';
import { refusalError } from '../../http/errors/refusals.ts';
import { writtenTag } from '../caller.ts';
import { objectOf, TEXT, TIME } from '../schema.ts';
import { tool } from '../tool.ts';
import { SPACE } from './about.ts';

class Arguments {
  @IsContainerTag()
  containerTag?: string;
}

export const prepareFileUpload = tool<Arguments>({
  name: 'prepare-file-upload',
  title: 'Prepare the upload of a file',
  description:
    'Returns an address to which one file of at most 50 MB can be sent within two minutes without the key: POST as ' +
    'multipart/form-data, the file in a part named file, with the header Authorization: Bearer <uploadToken>.',
  permission: 'write',
  countedAs: 'request',
  input: Arguments,
  about: { containerTag: SPACE },
  output: objectOf({ uploadUrl: TEXT, uploadToken: TEXT, expiresAt: TIME }),
  async run({ uploads }, caller, { containerTag }) {
    const { principal, origin } = caller;
    const tag = writtenTag(caller, containerTag);
    if (tag === null) throw refusalError('tag_required');
    if (!permits(writeScope(principal), [tag])) throw refusalError('forbidden');
    const { id, token, expiresAt } = await uploads.prepare(principal, tag);
    const uploadUrl = `${origin}/upload/${id}`;
    return {
      text: `curl -H 'Authorization: Bearer ${token}' -F file=@FILE '${uploadUrl}'`,
      structured: { uploadUrl, uploadToken: token, expiresAt: isoTime(expiresAt) },
    };
  },
});
