import { crudEvents, signInEvents, type Nouns, type Tags } from '../../conventions/noun.ts';

export const nouns = {
  user: {
    object: 'User',
    prefix: 'user',
    permissions: {
      users: {
        read: [],
        create: ['read-customers'],
        update: ['read-customers'],
        delete: ['read-customers'],
      },
    },
    events: { ...crudEvents('user'), ...signInEvents('user') },
  },
  invitation: {
    object: 'Invitation',
    prefix: 'inv',
    events: {
      created: 'A person was invited.',
      deleted: 'An invitation was deleted with its room, account or customer.',
      sent_again: 'An invitation was sent again, with a new link.',
      accepted: 'An invitation was accepted.',
      withdrawn: 'An invitation was withdrawn.',
    },
  },
} as const satisfies Nouns;

export const tags: Tags = {
  Users: 'People who belong to customers. They are separate from administrators.',
  Invitations: 'Links that make a person a user of a customer, an account or a room.',
};
