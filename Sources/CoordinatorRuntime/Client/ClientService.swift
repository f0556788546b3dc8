import CaptureModel
import Catalogue
import FaultPoints
import FoundationEssentials
import Logging
import RigProtocol
import RigWire
import ShotDocuments
import ShotLogic
import StorageKit
import ZeroMQ

/// Answers `capctl` and other clients. Requests of one client may overlap; each is answered under its own id.
actor ClientService {
    /// Requests of one ``ClientRoom`` being answered at a time; further ones are refused, so that none waits in front of a
    /// trigger.
    static let concurrency = 64

    private let socket: RouterSocket
    private let refusedConnections: RefusedConnections
    private let rig: Rig
    private let library: ShotLibrary
    private let libraryWatch: LibraryWatch
    private let catalogue: any Catalogue
    private let feedPort: UInt16
    private let software: String
    private let channels: ChannelLinks
    private let log: Logger
    /// Requests being answered.
    private var underWay: [ClientRoom: Int] = [:]
    private var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    init(
        socket: RouterSocket, rig: Rig, library: ShotLibrary, libraryWatch: LibraryWatch, catalogue: any Catalogue,
        channels: ChannelLinks, refusedConnections: RefusedConnections, feedPort: UInt16, software: String, log: Logger
    ) {
        self.channels = channels
        self.socket = socket
        self.refusedConnections = refusedConnections
        self.rig = rig
        self.library = library
        self.libraryWatch = libraryWatch
        self.catalogue = catalogue
        self.feedPort = feedPort
        self.software = software
        self.log = log
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let (peer, received) = await socket.receive() {
                await ClientWaitFault.received.reached()
                guard let request = decode(received.message) else { continue }
                let room = ClientRoom(of: request)
                guard room == .nodes || underWay[room, default: 0] < Self.concurrency else {
                    await fail(Self.busy, request.requestID, peer)
                    continue
                }
                underWay[room, default: 0] += 1
                group.addTask { await self.answer(request, in: room, to: peer) }
            }
            group.cancelAll()
        }
    }

    private static let busy = CaptureProblem(
        .noMemory, "the coordinator is answering \(concurrency) other requests of this kind; ask again in a moment")

    private func answer(_ request: WireClientRequest, in room: ClientRoom, to peer: PeerID) async {
        await answer(request, to: peer)
        underWay[room, default: 1] -= 1
    }

    private func decode(_ message: Message) -> WireClientRequest? {
        do {
            guard message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            return try WireCoding.client.decode(WireClientRequest.self, from: message.parts[0].bytes)
        } catch {
            dropped.note(.malformed) { log.warning("client messages are dropped", metadata: ["first": "\(error)"]) }
            return nil
        }
    }

    private func answer(_ request: WireClientRequest, to peer: PeerID) async {
        do {
            switch request.body {
            case .trigger(let trigger):
                try await follow(await rig.trigger(try TriggerRequest(wire: trigger)), request.requestID, peer)
            case .stopTake(let wire):
                try await follow(await rig.stop(try StopTakeRequest(wire: wire), for: peer), request.requestID, peer)
            case .markTake(let wire):
                await reply(.takeMark(try await rig.mark(try MarkTakeRequest(wire: wire))), request.requestID, peer)
            case .deviceRequest(let wire):
                for await outcome in await rig.request(try DeviceRequest(wire: wire)) {
                    await reply(.deviceReply(try outcome.get()), request.requestID, peer)
                }
            default:
                await reply(try await body(of: request), request.requestID, peer)
            }
        } catch {
            await fail(error, request.requestID, peer)
        }
    }

    private func fail(_ error: any Error, _ request: UInt64, _ peer: PeerID) async {
        var failure = WireFailure()
        failure.problem = CaptureProblem(describing: error).wire
        await reply(.failure(failure), request, peer)
    }

    private func body(of request: WireClientRequest) async throws -> WireClientReply.OneOf_Body {
        let reader = FieldReader("ClientRequest")
        switch request.body {
        case .listDevices: return .deviceList(await rig.deviceList())
        case .forgetDevices(let forget):
            let devices = try reader.list(forget.devices, "devices", limit: WireLimits.devicesPerRequest)
            return .forgotten(try await rig.forget(try devices.map { try DeviceID(wire: $0) }))
        case .getStatus: return .status(await status())
        case .listShots(let list): return .shotList(try await shots(list))
        case .getShot(let get): return .shot(try await document(of: try reader.shotID(get.shotID)))
        case .verifyShot(let verify): return .verification(try await verification(of: try reader.shotID(verify.shotID)))
        case .verifyRest: return .unclaimedFiles(try await unclaimedFiles())
        case .getEvents(let get): return .events(await channels.feed.replay(get))
        case .editShot(let edit):
            return .shotAnnotation(try await annotation(of: try reader.shotID(edit.shotID), .init(wire: edit)))
        case .trigger, .deviceRequest, .stopTake, .markTake, nil:
            throw reader.invalid("body", "is a request this version does not know")
        }
    }

    private func follow(_ notices: AsyncStream<ShotNotice>, _ request: UInt64, _ peer: PeerID) async throws {
        var answerDue = rig.clock.now() + rig.settings.timeout
        for await notice in notices {
            switch notice {
            case .progress(let progress, let shot, let spread, let due):
                answerDue = due ?? answerDue
                let left = due.map { $0 - rig.clock.now() }
                await reply(.progress(WireShotProgress(progress, shot, spread, answerWithin: left)), request, peer)
            case .answer(let shot):
                var document = try await document(shot)
                let leftOut = await rig.leftOut(of: shot.request.selection)?.devices ?? []
                document.notConfigured = leftOut.prefix(WireLimits.devicesPerRequest).map(\.wire)
                // Last: what is answered as settled lies where the answer says.
                if shot.status != .open { try await rig.confirm(shot, by: answerDue) }
                await reply(.shot(document), request, peer)
            case .refused(let problem):
                throw problem
            }
        }
    }

    private func status() async -> WireRigStatus {
        var status = await rig.status()
        status.libraryFreeBytes = libraryWatch.freeBytes ?? 0
        if let silence = libraryWatch.silence { status.librarySilentNs = silence.nanoseconds }
        status.libraryProblem = libraryWatch.problem?.message ?? ""
        status.feedPort = UInt32(feedPort)
        status.software = software
        status.busLibrary = BusLibrary.linked.wire
        status.droppedMessages = dropped.counts(of: "client")
            .merging(await channels.droppedMessages()) { own, _ in own }
        status.refusedConnections = refusedConnections.counts
        return status
    }

    private func document(of id: ShotID) async throws -> WireShotDocument {
        guard let shot = try await library.shot(id) else { throw Self.unknown(id) }
        var document = try await document(shot)
        // One that is damaged hides no shot.
        if let annotation = try? await library.annotation(of: id), !annotation.isEmpty {
            document.annotation = annotation.wire
        }
        return document
    }

    private func document(_ shot: Shot) async throws -> WireShotDocument {
        var document = WireShotDocument()
        document.shotID = shot.id.wire
        document.status = shot.status.rawValue
        document.manifestJson = Data(try ShotManifest(shot: shot).encoded())
        document.folder = library.folder(of: shot)
        document.library = library.path
        return document
    }

    private func annotation(of id: ShotID, _ edit: ShotAnnotationEdit) async throws -> WireShotAnnotation {
        guard let shot = try await library.shot(id) else { throw Self.unknown(id) }
        let annotation = try await library.annotate(id, edit)
        catalogue.note(shot)
        return annotation.wire
    }

    private func shots(_ list: WireListShots) async throws -> WireShotList {
        let before = list.beforeShotID.isEmpty ? nil : try FieldReader("ListShots").shotID(list.beforeShotID)
        let limit = list.limit == 0 ? 50 : min(Int(list.limit), WireLimits.shotsPerList)
        let listing = try await catalogue.shots(ShotPage(try ShotQuery(wire: list), limit: limit, before: before))
        var answer = WireShotList()
        answer.shots = listing.shots.map { WireShotSummary($0) }
        answer.damaged = listing.damaged.map(\.description)
        answer.moreDamaged = UInt32(clamping: listing.moreDamaged)
        answer.isFiltered = true
        return answer
    }

    private func verification(of id: ShotID) async throws -> WireVerification {
        guard try await library.shot(id) != nil else { throw Self.unknown(id) }
        var answer = WireVerification()
        answer.shotID = id.wire
        answer.files = try await library.verify(id).map { WireVerifiedFile($0) }
        return answer
    }

    private func unclaimedFiles() async throws -> WireUnclaimedFiles {
        let found = try await library.unclaimed()
        var answer = WireUnclaimedFiles()
        answer.files = found.prefix(WireLimits.unclaimedFiles).map { WireVerifiedFile($0) }
        answer.isCut = found.count > WireLimits.unclaimedFiles
        return answer
    }

    private static func unknown(_ id: ShotID) -> CaptureProblem {
        CaptureProblem(.unknownShot, "the library has no shot \(id); `capctl shots list` shows those it has")
    }

    private func reply(_ body: WireClientReply.OneOf_Body, _ request: UInt64, _ peer: PeerID) async {
        var reply = WireClientReply()
        reply.requestID = request
        reply.epoch = rig.epoch.rawValue
        reply.body = body
        do {
            let bytes = try WireCoding.client.encode(reply)
            let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: ClientSendFault(body)) {
                await socket.send($0.0, to: $0.1)
            }
            if case .refused(let refusal) = outcome {
                dropped.note(.unsent) { log.warning("replies are dropped", metadata: ["first": "\(refusal)"]) }
            }
        } catch {
            log.error("a reply cannot be encoded", metadata: ["reason": "\(error)"])
            guard case .failure = body else { return await fail(error, request, peer) }
        }
    }
}
