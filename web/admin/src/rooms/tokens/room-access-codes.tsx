import type { EndpointAnswer } from '@foyer/sdk';
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { formFieldsOf } from '../../../../kit/form/form-fields.ts';
import { bodyOf } from '../../resource/actions/use-creation.tsx';
import { Copyable } from '../../../../kit/display/copyable.tsx';
import { StatusBadge } from '../../../../kit/display/status.tsx';
import { client } from '../../../../kit/api/client.ts';
import { Expiry, LastUse } from './expiry.tsx';
import { CredentialTable } from './credential-table.tsx';

/** The codes that people need in addition to a token of the role. */
export function RoomAccessCodes({ roomId }: { readonly roomId: string }) {
  const params = { room_id: roomId };
  const result = useQuery({
    queryKey: ['listRoomAccessCodes', roomId],
    queryFn: ({ signal }) => client.listRoomAccessCodes({ params, query: { limit: 0 }, signal }),
  });
  return (
    <CredentialTable
      title="Access codes"
      singular="access code"
      emptyText="Once a role has a code, everyone with a token of that role needs a code too."
      query={result}
      head={['Code', 'Role', 'Expires', 'Last used']}
      nameOf={(code) => code.code}
      cells={cellsOf}
      creationFields={formFieldsOf(bodyOf('createRoomAccessCode'))}
      changeFields={formFieldsOf(bodyOf('updateRoomAccessCode'))}
      defaults={{ role: 'attendee' }}
      hints={{
        code: '4 to 32 letters, digits and hyphens. If empty, a code is generated.',
        expires_at: 'If empty, it never expires.',
      }}
      create={(body) => client.createRoomAccessCode({ params, body: body as { role: 'guest' } })}
      targetOf={(code_id) => ({ read: 'readRoomAccessCode', params: { ...params, code_id } })}
      change={(code_id, write) => client.updateRoomAccessCode({ params: { ...params, code_id }, ...write })}
      remove={(code_id, ifMatch) => client.deleteRoomAccessCode({ params: { ...params, code_id }, ifMatch })}
      removalText="Without a code, tokens of the role are enough to join."
      createdContent={codeOf}
    />
  );
}

type Code = EndpointAnswer<'listRoomAccessCodes'>['data'][number];

function codeOf(code: Code): ReactNode {
  return <Copyable value={code.code} label="code" />;
}

function cellsOf(code: Code): readonly ReactNode[] {
  return [
    <Copyable key="code" value={code.code} label="code" />,
    <StatusBadge key="role" value={code.role} />,
    <Expiry key="expires" at={code.expires_at} />,
    <LastUse key="last" at={code.last_usage} />,
  ];
}
