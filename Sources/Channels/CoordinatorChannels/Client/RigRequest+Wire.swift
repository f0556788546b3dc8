import CaptureModel
import Catalogue
import Journal
import RigCore
import RigProtocol
import RigWire
import ZeroMQ

extension RigRequest {
    /// A client's request. A name that is absent or not valid is none, and does no harm to the request.
    /// - Parameter peer: The client's connection.
    init(wire: WireClientRequest, from peer: PeerID) throws(WireError) {
        let principal = Principal(claimed: wire.clientName) ?? .unnamed
        let requester = Requester(principal, RequesterToken(frontEnd: "client", bytes: peer.bytes))
        if let command = try RigCommand(wire: wire.body) {
            self = .command(command, by: requester)
        } else {
            self = .query(try RigQuery(wire: wire.body), by: requester)
        }
    }
}

extension RigCommand {
    /// - Returns: nil where it is a query, or of a kind this version does not know.
    fileprivate init?(wire: WireClientRequest.OneOf_Body?) throws(WireError) {
        switch wire {
        case .trigger(let trigger): self = .trigger(try TriggerRequest(wire: trigger))
        case .stopTake(let stop): self = .stopTake(try StopTakeRequest(wire: stop))
        case .markTake(let mark): self = .markTake(try MarkTakeRequest(wire: mark))
        case .deviceRequest(let request): self = .device(try DeviceRequest(wire: request))
        case .forgetDevices(let forget):
            let devices = try FieldReader("ForgetDevices").list(
                forget.devices, "devices", limit: WireLimits.devicesPerRequest)
            self = .forgetDevices(try devices.map { (device) throws(WireError) in try DeviceID(wire: device) })
        case .editShot(let edit):
            self = .annotate(try FieldReader("EditShot").shotID(edit.shotID), ShotAnnotationEdit(wire: edit))
        case .listDevices, .getStatus, .listShots, .getShot, .verifyShot, .verifyRest, .getEvents, nil: return nil
        }
    }
}

extension RigQuery {
    fileprivate init(wire: WireClientRequest.OneOf_Body?) throws(WireError) {
        switch wire {
        case .listDevices: self = .devices
        case .getStatus: self = .status
        case .listShots(let list): self = .shots(try ShotPage(wire: list))
        case .getShot(let get): self = .shot(try FieldReader("GetShot").shotID(get.shotID))
        case .verifyShot(let verify): self = .verification(of: try FieldReader("VerifyShot").shotID(verify.shotID))
        case .verifyRest: self = .unclaimedFiles
        case .getEvents(let get):
            let position = Epoch(rawValue: get.coordinatorEpoch).map {
                EventPosition(epoch: $0, sequence: get.afterSequence)
            }
            self = .events(after: position, limit: WireLimits.eventsPerReplay)
        case .trigger, .stopTake, .markTake, .deviceRequest, .forgetDevices, .editShot, nil:
            throw FieldReader("ClientRequest").invalid("body", "is a request this version does not know")
        }
    }
}

extension ShotPage {
    fileprivate init(wire: WireListShots) throws(WireError) {
        let before = wire.beforeShotID.isEmpty ? nil : try FieldReader("ListShots").shotID(wire.beforeShotID)
        let limit = wire.limit == 0 ? 50 : min(Int(wire.limit), WireLimits.shotsPerList)
        self.init(try ShotQuery(wire: wire), limit: limit, before: before)
    }
}
