import { follower } from "../src/core/follower.ts";
import { notifyOf } from "../src/notifications/notify.ts";
import { fanOutEvents } from "../src/outbound/fan_out.ts";
import { noteReferences } from "../src/references/note.ts";

/** Each of these may come with texts of 64 KiB. */
const TEXTS_AT_ONCE = 100;

/**
 * The followers that wake with each event. The analyzer follows the events too, in its own job, so that
 * many changes of a ticket cause one look at it.
 */
export const FOLLOWERS = [
  follower("notifications", notifyOf),
  follower("webhooks", fanOutEvents),
  follower("references", noteReferences, TEXTS_AT_ONCE),
];
