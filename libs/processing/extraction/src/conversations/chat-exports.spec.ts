import { extractDocument } from '../index.ts';
import { jsonSource, textOf } from './testing/text-of.ts';

describe('exports of chats', () => {
  test('Slack: names, links, entities, joins and replies', async () => {
    const message = (seconds: number, rest: object) => ({
      type: 'message',
      ts: `${1709627400 + seconds}.000100`,
      ...rest,
    });
    const day = [
      message(0, { subtype: 'channel_join', user: 'U1', text: '<@U1> has joined the channel' }),
      message(300, { user: 'U2', text: 'late', user_profile: { real_name: 'Bram Claes', display_name: 'bram' } }),
      message(60, {
        user: 'U1',
        text: 'See <https://a.example/x?a=1&amp;b=2|the plan> &lt;now&gt;, <@U2> &amp; <@U9>: <#C1|crew> <!here> <mailto:o@a.example|o@a.example> <https://b.example>',
        user_profile: { display_name: 'Orla' },
        files: [{ name: 'plan.pdf' }],
      }),
      message(120, { user: 'U2', text: 'Seen', thread_ts: '1709627460.000100', subtype: 'thread_broadcast' }),
      message(130, {
        subtype: 'bot_message',
        bot_id: 'B1',
        username: 'deploy',
        text: '',
        attachments: [{ title: 'Crane', text: 'is up', fallback: 'no' }],
      }),
      message(140, { subtype: 'tombstone', user: 'USLACKBOT', text: 'This message was deleted.' }),
      { type: 'message', text: 'no time' },
    ];
    expect(await textOf(day)).toBe(
      [
        '[5 March 2024, 08:30] system: @Orla has joined the channel',
        '[5 March 2024, 08:31] Orla: See the plan <now>, @Bram Claes & @U9: #crew @here o@a.example https://b.example\n[file plan.pdf]',
        '[5 March 2024, 08:32] Bram Claes: Seen',
        '[5 March 2024, 08:32] deploy: Crane\nis up',
        '[5 March 2024, 08:35] Bram Claes: late',
      ].join('\n'),
    );
  });

  test('Discord: DiscordChatExporter, and the data that Discord gives', async () => {
    const message = {
      id: '1',
      type: 'Default',
      timestamp: '2024-03-05T09:30:00.123+02:00',
      author: { name: 'orla', nickname: 'Orla B' },
      attachments: [],
      embeds: [],
    };
    const messages = [
      {
        ...message,
        content: 'Hi <@!7> <:crane:99>, see https://a.example/x',
        mentions: [{ id: '7', name: 'bram', nickname: 'Bram' }],
        embeds: [{ url: 'https://a.example/x', title: 'Preview' }],
      },
      {
        ...message,
        author: { name: 'harbourbot', isBot: true },
        content: '',
        embeds: [{ title: 'Wind', description: '9 metres', fields: [{ name: 'from', value: 'west' }] }],
      },
      { ...message, author: null },
      { ...message, content: null },
      { ...message, type: 'Reply', content: '', stickers: [{ name: 'Wave' }] },
    ];
    expect(await textOf({ guild: { name: 'Port' }, channel: { name: 'crew' }, messages })).toBe(
      [
        '# Port: crew\n',
        '[5 March 2024, 09:30] Orla B: Hi @Bram :crane:, see https://a.example/x',
        '[5 March 2024, 09:30] harbourbot: Wind\n9 metres\nfrom: west',
        '[5 March 2024, 09:30] Orla B: Wave',
      ].join('\n'),
    );
    const own = [
      { ID: 1, Timestamp: '2024-03-05 09:30:00', Contents: 'Hello', Attachments: '' },
      {
        ID: 2,
        Timestamp: '2024-03-05 09:31:00',
        Contents: '',
        Attachments: 'https://cdn.example/1/plan.pdf?ex=1 https://cdn.example/2/b.png',
      },
    ];
    expect(await textOf(own)).toBe(
      '[5 March 2024, 09:30] user: Hello\n[5 March 2024, 09:31] user: [file plan.pdf]\n[file b.png]',
    );
  });

  test('Telegram: one chat, and all chats of an account', async () => {
    const message = { id: 1, type: 'message', date: '2024-03-05T09:30:00', date_unixtime: '1709627400', from: 'Orla' };
    const chat = {
      ...{ name: 'Harbour', type: 'private_group', id: 1 },
      messages: [
        { id: 0, type: 'service', date: '2024-03-05T09:00:00', actor: 'Orla', action: 'create_group', text: '' },
        {
          ...message,
          text: [
            'Hi ',
            { type: 'mention_name', text: 'Bram' },
            ', ',
            { type: 'text_link', text: 'the plan', href: 'https://a.example' },
          ],
        },
        { ...message, from: null, from_id: 'user7', text: 'Gone', forwarded_from: 'Port News' },
        { ...message, text: '', file: '(File not included.)', media_type: 'sticker', sticker_emoji: '⚓' },
        { ...message, text: 'A photo', photo: 'photos/1.jpg' },
        { ...message, text: '', file: 'x', media_type: 'voice_message' },
        { ...message, text: '', poll: { question: 'Which pier?', answers: [{ text: 'two' }, { text: 'four' }] } },
        {
          ...message,
          text: '',
          contact_information: { first_name: 'Bram', last_name: 'Claes', phone_number: '+47 1' },
        },
        { ...message, text: 7 },
      ],
    };
    const turns = [
      ...['Orla: Hi Bram, the plan', 'user7: [forwarded from Port News]\nGone', 'Orla: ⚓', 'Orla: A photo\n[image]'],
      ...['Orla: [file voice message]', 'Orla: Which pier?\n- two\n- four', 'Orla: [contact Bram Claes +47 1]'],
    ]
      .map((turn) => `[5 March 2024, 09:30] ${turn}`)
      .join('\n');
    expect(await textOf(chat)).toBe(`# Harbour\n\n${turns}`);
    const account = {
      about: 'x',
      chats: { list: [chat, { id: 2, type: 'personal_chat', messages: [{ ...message, text: 'Two' }] }] },
    };
    expect(await textOf(account)).toBe(`# Harbour\n\n${turns}\n\n# Conversation 2\n\n[5 March 2024, 09:30] Orla: Two`);
    const { memories } = await extractDocument(jsonSource(JSON.stringify(chat)));
    expect(memories[0]).toMatchObject({
      speaker: 'Orla',
      location: { date: '2024-03-05T09:30:00+01:00', heading: 'Harbour' },
    });
  });

  test('Teams: messages of Microsoft Graph in the order of time', async () => {
    const message = (minute: number, content: string, rest: object = {}) => ({
      ...{ id: '1', messageType: 'message', createdDateTime: `2024-03-05T09:3${minute}:00.12Z` },
      ...{
        from: { user: { displayName: 'Orla Byrne' } },
        body: { contentType: 'html', content },
        attachments: [],
        ...rest,
      },
    });
    const value = [
      message(2, '<p>Two &amp; three</p><ul><li>a</li></ul>', {
        replies: [message(4, 'Four', { from: { application: { displayName: 'Bot' } } })],
      }),
      message(3, '<systemEventMessage/>', { messageType: 'systemEventMessage', from: null }),
      message(
        1,
        '<div><at id="0">Bram</at>, see <a href="https://a.example">this</a><attachment id="x"></attachment></div>',
        { subject: 'Crane', attachments: [{ name: 'plan.pdf' }] },
      ),
      message(0, 'a < b', { body: { contentType: 'text', content: 'a < b' } }),
    ];
    expect(await textOf({ '@odata.context': 'x', value })).toBe(
      [
        '[5 March 2024, 09:30] Orla Byrne: a < b',
        '[5 March 2024, 09:31] Orla Byrne: Crane\nBram, see this\n[file plan.pdf]',
        '[5 March 2024, 09:32] Orla Byrne: Two & three\n\n- a',
        '[5 March 2024, 09:34] Bot: Four',
      ].join('\n'),
    );
  });

  test('Teams: the personal data of an account', async () => {
    const message = (minute: number, content: string, messagetype = 'RichText') => ({
      ...{ id: '1', displayName: 'Orla', originalarrivaltime: `2024-03-05T09:3${minute}:00.1Z`, messagetype },
      ...{ version: 1, content, from: '8:live:orla' },
    });
    const MessageList = [
      { ...message(3, 'Gone &amp; back'), displayName: null },
      message(2, '<URIObject uri="x"><OriginalName v="plan.pdf"/></URIObject>', 'RichText/Media_GenericFile'),
      message(1, '<partlist type="started"></partlist>', 'Event/Call'),
      message(0, 'a < b', 'Text'),
    ];
    const conversations = [
      { id: '19:x', displayName: 'Crew', MessageList },
      { id: '19:y', MessageList: [] },
    ];
    expect(await textOf({ userId: '8:live:orla', exportDate: '2024-03-06', conversations })).toBe(
      [
        '# Crew\n',
        '[5 March 2024, 09:30] Orla: a < b',
        '[5 March 2024, 09:32] Orla: [file plan.pdf]',
        '[5 March 2024, 09:33] orla: Gone & back',
      ].join('\n'),
    );
  });
});
