public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Every device of the roster with its condition, in order of id.
    public func devices() async throws(RigClientError) -> [DeviceStatus] {
        let answer = try await ask(.listDevices(.init()), operation: "devices")
        return try reading(answer, operation: "devices") { body throws(WireError) in
            guard case .deviceList(let list) = body else { return nil }
            return try list.statuses
        }
    }

    /// Removes devices from the roster. Refused completely if a connected node still has one of them.
    /// - Returns: The devices that were in the roster.
    public func forget(_ devices: [DeviceID]) async throws(RigClientError) -> [DeviceID] {
        var request = WireForgetDevices()
        request.devices = devices.map(\.wire)
        let answer = try await ask(.forgetDevices(request), operation: "devices forget")
        return try reading(answer, operation: "devices forget") { body throws(WireError) in
            guard case .forgotten(let forgotten) = body else { return nil }
            return try forgotten.devices.map(DeviceID.init(wire:))
        }
    }

    /// The state of the rig.
    public func status() async throws(RigClientError) -> RigStatus { try await status(for: "status") }

    /// The state of the rig, for an operation that needs it and that errors name.
    func status(for operation: String) async throws(RigClientError) -> RigStatus {
        let answer = try await ask(.getStatus(.init()), operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            guard case .status(let status) = body else { return nil }
            return try RigStatus(wire: status, epoch: answer.epoch)
        }
    }

    /// The state of the rig, and its devices as ``devices()``: in one request, unless the coordinator is older or the devices are many.
    public func state() async throws(RigClientError) -> (status: RigStatus, devices: [DeviceStatus]) {
        var request = WireGetStatus()
        request.withDevices = true
        let answer = try await ask(.getStatus(request), operation: "status")
        let (status, found): (RigStatus, [DeviceStatus]?) = try reading(answer, operation: "status") {
            body throws(WireError) in
            guard case .status(let status) = body else { return nil }
            return (
                try RigStatus(wire: status, epoch: answer.epoch),
                status.hasDeviceList ? try status.deviceList.statuses : nil
            )
        }
        if let found { return (status, found) }
        return (status, try await devices())
    }

    /// Asks in the client's own name, which has the permission to view: a session may lack it, and still make requests that need this.
    func signOfLife() async throws(RigClientError) -> RigStatus {
        do {
            return try await Self.$session.withValue(nil) { try await status() }
        } catch let error as RigClientError {
            throw error
        } catch {
            throw .closed(operation: "status", endpoint: endpoint, reason: "\(error)")
        }
    }

    /// Shots, newest first.
    ///
    /// Without an index of the library, finding few shots among very many takes the coordinator minutes. So if the
    /// query has conditions, this first requests a sign of life and then waits for up to ten minutes.
    /// - Parameters:
    ///   - query: The conditions; without any, all shots match.
    ///   - limit: The maximum number; nil: 50. More than an answer may have are requested page by page.
    ///   - before: Only shots older than this one.
    public func shots(
        _ query: ShotQuery = ShotQuery(), limit: Int? = nil, before: ShotID? = nil
    ) async throws(RigClientError) -> ShotList {
        if !query.takesAll { _ = try await signOfLife() }
        let wanted = max(limit ?? 50, 1)
        var list = ShotList()
        while true {
            let count = min(wanted - list.shots.count, WireLimits.shotsPerList)
            let page = try await page(of: query, limit: count, before: list.shots.last?.id ?? before)
            list.append(page)
            guard page.shots.count == count, list.shots.count < wanted else { return list }
        }
    }

    private func page(
        of query: ShotQuery, limit: Int, before: ShotID?
    ) async throws(RigClientError) -> ShotList {
        let narrows = !query.takesAll
        var request = query.wire
        request.limit = UInt32(clamping: limit)
        if let before { request.beforeShotID = before.wire }
        let answer = try await ask(
            .listShots(request), operation: "shots list", limit: narrows ? .seconds(600) : nil)
        return try reading(answer, operation: "shots list") { body throws(WireError) in
            guard case .shotList(let list) = body else { return nil }
            return try ShotList(wire: list)
        }
    }

    /// Changes title and note of a shot.
    /// - Returns: Title and note after the change, which are durable, and the version of the shot with them, as ``LocatedShot/version``.
    public func edit(
        _ id: ShotID, _ edit: ShotAnnotationEdit
    ) async throws(RigClientError) -> (annotation: ShotAnnotation, version: ContentDigest?) {
        let answer = try await ask(.editShot(edit.wire(of: id)), operation: "shots edit")
        return try reading(answer, operation: "shots edit") { body throws(WireError) in
            guard case .shotAnnotation(let annotation) = body else { return nil }
            return (
                try ShotAnnotation(wire: annotation),
                try FieldReader("ShotAnnotation").version(annotation.version, "version")
            )
        }
    }

    /// Deletes a shot or take from the library. A repeat, also of another client, gets the first deletion.
    ///
    /// Comparing another copy with the manifest takes as long as its disk needs, so this waits for up to ten minutes after a sign of life.
    /// - Returns: The deletion, which is durable.
    /// - Throws: ``RigClientError``. `refused`: `onlyCopy` if no other copy is known and the request does not allow that; `conflict` while the
    ///   shot is in progress; `held`, `unknownShot`, `preconditionFailed`.
    public func delete(_ deletion: ShotDeletionRequest) async throws(RigClientError) -> ShotDeletion {
        _ = try await signOfLife()
        let answer = try await ask(.deleteShot(deletion.wire), operation: "shots delete", limit: .seconds(600))
        return try reading(answer, operation: "shots delete") { body throws(WireError) in
            guard case .deletedShot(let deleted) = body else { return nil }
            return try ShotDeletion(wire: deleted)
        }
    }

    /// Makes the coordinator hash every stored file of a shot again.
    ///
    /// Hashing takes as long as the disk needs, so this first requests a sign of life and then waits for up to ten
    /// minutes.
    public func verify(_ id: ShotID) async throws(RigClientError) -> Verification {
        _ = try await signOfLife()
        var request = WireVerifyShot()
        request.shotID = id.wire
        let answer = try await ask(.verifyShot(request), operation: "shots verify", limit: .seconds(600))
        return try reading(answer, operation: "shots verify") { body throws(WireError) in
            guard case .verification(let verification) = body else { return nil }
            return try Verification(wire: verification)
        }
    }

    /// The files in the library that belong to no shot. Waits as long as ``verify(_:)`` does.
    public func unclaimedFiles() async throws(RigClientError) -> UnclaimedFiles {
        let answer = try await ask(.verifyRest(.init()), operation: "shots verify", limit: .seconds(600))
        return try reading(answer, operation: "shots verify") { body throws(WireError) in
            guard case .unclaimedFiles(let unclaimed) = body else { return nil }
            return try UnclaimedFiles(wire: unclaimed)
        }
    }

    /// Returns one page of the events after `sequence` of `epoch` and of the epochs after it. For an epoch that the
    /// coordinator does not have, returns its first page.
    func replay(after sequence: UInt64, of epoch: Epoch?) async throws(RigClientError) -> EventReplay {
        var request = WireGetEvents()
        request.coordinatorEpoch = epoch?.rawValue ?? 0
        request.afterSequence = sequence
        let answer = try await ask(.getEvents(request), operation: "events")
        return try reading(answer, operation: "events") { body throws(WireError) in
            guard case .events(let log) = body else { return nil }
            return try EventReplay(wire: log, epoch: answer.epoch)
        }
    }
}

extension WireDeviceList {
    /// In order of id.
    fileprivate var statuses: [DeviceStatus] {
        get throws(WireError) {
            try devices.map(DeviceStatus.init(wire:)).sorted { $0.device.id < $1.device.id }
        }
    }
}
