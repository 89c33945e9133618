import { Anchor, Button } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

export const LinkAnchor = createLink(Anchor<'a'>);
export const LinkButton = createLink(Button<'a'>);
