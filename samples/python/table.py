"""A table's client in plain gRPC: attach, number commands, send again until answered.

Four rules keep every wager exactly once:

1. Number commands 1, 2, 3 and so on from each attachment.
2. When an answer does not come, send the same command with the same number.
3. When a command is refused, look at the reason. Only a refusal with RetryInfo asks for the same
   command again.
4. Remember which answers you had, and say so when you attach. After a backup was restored, nobody
   else knows.
"""

import sys
import time
import uuid
from pathlib import Path

import grpc

sys.path.insert(0, str(Path(__file__).resolve().parent / "generated"))  # see generate.py

from google.rpc import error_details_pb2, status_pb2
from jackpot.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc

CALL_TIMEOUT_S = 5.0
DEADLINE_S = 60.0
LONGEST_WAIT_S = 1.0
ATTACH_AGAIN = {"FENCED", "NOT_ATTACHED", "OTHER_INCARNATION", "REQUEST_REUSED", "REQUEST_TOO_OLD"}


class Refused(Exception):
    """The controller said no. Look at the reason, never at the text."""

    def __init__(self, reason, text):
        super().__init__(f"{reason}: {text}")
        self.reason = reason


class Unreachable(Exception):
    """No answer in time. Whether the last command was carried out is not known: attach again."""


def open_channel(address, ca=None, certificate=None, key=None):
    """Connect; with certificate files over TLS, without them to a controller on this machine."""
    if not ca:
        return grpc.insecure_channel(address)
    files = [Path(name).read_bytes() for name in (ca, key, certificate)]
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(*files))


def new_request_id():
    """A UUIDv7: the time in milliseconds, then random bits."""
    millis = int(time.time() * 1000)
    value = (millis << 80) | (0x7 << 76) | (uuid.uuid4().int & ((1 << 76) - 1))
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return str(uuid.UUID(int=value))


def read_refusal(error):
    """The reason of a failed call, and whether the same may be sent again; no reason: it broke."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            reason, again = "", False
            for detail in status_pb2.Status.FromString(value).details:
                info = error_details_pb2.ErrorInfo()
                if detail.Unpack(info):
                    reason = info.reason
                again = again or detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR)
            return reason, again
    return "", True


def send_until_answered(call, request):
    """Send the same request until there is an answer, or a refusal that is final."""
    until_s, wait_s = time.monotonic() + DEADLINE_S, 0.05
    while True:
        try:
            return call(request, timeout=CALL_TIMEOUT_S)
        except grpc.RpcError as error:
            reason, again = read_refusal(error)
            if not again:
                raise Refused(reason, error.details()) from error
            if time.monotonic() > until_s:
                raise Unreachable(error.details()) from error
        time.sleep(wait_s)
        wait_s = min(2 * wait_s, LONGEST_WAIT_S)


class Table:
    """Speaks for one table."""

    def __init__(self, channel, site, table):
        self.channel, self.site, self.table = channel, site, table
        self.epoch = self.number = 0
        self.attached = False
        self.heard = table_pb2.Acknowledged()  # keep it on disk if your client may restart
        self._stub = table_pb2_grpc.TableServiceStub(channel)
        self._meters = meter_pb2_grpc.MeterServiceStub(channel)

    def attach(self):
        """Speak for the table from now on. The same request id is used until there is an answer."""
        request = table_pb2.AttachRequest(
            site=self.site,
            table=self.table,
            request_id=new_request_id(),
            acknowledged=self.heard if self.heard.last_sequence else None,
        )
        answer = send_until_answered(self._stub.Attach, request)
        self.epoch, self.number, self.attached = answer.epoch, 0, True
        if answer.incarnation != self.heard.incarnation:  # a backup was restored: start over
            self.heard = table_pb2.Acknowledged(incarnation=answer.incarnation)
        self._hear(answer.sequence, answer.round.number)
        return answer

    def open_round(self):
        """Begin a round."""
        answer = self._command("OpenRound", table_pb2.OpenRound())
        self._hear(answer.sequence, answer.round)
        return answer

    def place_wagers(self, wagers):
        """All of them or none; light the lamps after this has returned, never before."""
        return self._command("PlaceWagers", table_pb2.PlaceWagers(wagers=wagers))

    def lock_out(self):
        """No more bets."""
        return self._command("LockOut", table_pb2.LockOut())

    def confirm_collection(self, chips):
        """The dealer's count of chips, by bet."""
        return self._command("ConfirmCollection", table_pb2.ConfirmCollection(chips=chips))

    def settle(self, hands, dealer):
        """Every hand; the answer lists the awards in the order in which they are paid."""
        return self._command("Settle", table_pb2.Settle(hands=hands, dealer=dealer))

    def void_round(self, irregularity):
        """The round comes to nothing. After the collection only the floor can do this."""
        return self._command("VoidRound", table_pb2.VoidRound(irregularity=irregularity))

    def ask_floor_to_void(self, irregularity):
        """Call a floorperson, and wait for the answer; True: the round is void."""
        asked = table_pb2.CallFloor(
            act=table_pb2.FLOOR_ACT_VOID_ROUND, round=self.heard.round, irregularity=irregularity
        )
        call = self._command("CallFloor", asked).call
        frame = self._watch(lambda seen: seen.call.id == call and seen.call.outcome)
        return frame.call.outcome == table_pb2.CALL_OUTCOME_APPROVED

    def wait_until_open(self):
        """Wait until nothing keeps the next round shut, such as the papers of an award."""
        self._watch(lambda seen: seen.may_open_round)

    def watch_meters(self):
        """The meters, now and at each change; call again when it ends."""
        return self._meters.WatchMeters(meter_pb2.WatchMetersRequest(site=self.site))

    def _watch(self, is_ready):
        """The table as it is when something has come about. People may take their time."""
        watching = table_pb2.WatchTableRequest(site=self.site, table=self.table, epoch=self.epoch)
        while True:
            try:
                for frame in self._stub.WatchTable(watching):
                    if not frame.progress and is_ready(frame):
                        return frame
            except grpc.RpcError as error:
                reason, again = read_refusal(error)
                if not again:
                    self.attached = self.attached and reason not in ATTACH_AGAIN
                    raise Refused(reason, error.details()) from error
            time.sleep(LONGEST_WAIT_S)

    def _hear(self, sequence, round_=None):
        """Remember an answer."""
        self.heard.first_sequence = self.heard.first_sequence or sequence
        self.heard.last_sequence = max(self.heard.last_sequence, sequence)
        if round_ is not None:
            self.heard.round = round_

    def _command(self, rpc, command):
        self.number += 1
        which = table_pb2.CommandId(
            site=self.site, table=self.table, epoch=self.epoch, number=self.number
        )
        request = getattr(table_pb2, f"{rpc}Request")(id=which, command=command)
        try:
            answer = send_until_answered(getattr(self._stub, rpc), request)
        except Refused as refusal:
            if refusal.reason in ATTACH_AGAIN:
                self.attached = False
            raise
        except Unreachable:
            self.attached = False
            raise
        self._hear(answer.sequence)
        return answer
