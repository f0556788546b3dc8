public import CaptureModel
public import RigProtocol

extension ShotQuery {
    public init(wire: WireListShots) throws(WireError) {
        let reader = FieldReader("ListShots")
        var query = ShotQuery(
            since: wire.hasSinceRealtimeNs ? wire.sinceRealtimeNs : nil,
            until: wire.hasUntilRealtimeNs ? wire.untilRealtimeNs : nil)
        for text in try reader.list(wire.devices, "devices", limit: WireLimits.devicePatterns) {
            guard let pattern = DevicePattern(text) else {
                throw reader.invalid("devices", "has a text that is not a device pattern: node/device with * and ?")
            }
            query.devices.append(pattern)
        }
        for label in try reader.list(wire.labels, "labels", limit: WireLimits.labels) {
            query.labels.append(try reader.word(label, "labels"))
        }
        for word in try reader.list(wire.outcomes, "outcomes", limit: WireLimits.labels) {
            query.outcomes.insert(try reader.word(word, "outcomes", as: CapturedFile.Outcome.self))
        }
        for word in try reader.list(wire.statuses, "statuses", limit: WireLimits.labels) {
            query.statuses.insert(try reader.word(word, "statuses", as: Shot.Status.self))
        }
        query.title = try Self.part(wire.title, "title", reader)
        query.text = try Self.part(wire.text, "text", reader)
        (query.isOfTakes, query.isRejected) = (wire.takes, wire.rejected)
        self = query
    }

    private static func part(_ text: String, _ field: String, _ reader: FieldReader) throws(WireError) -> String? {
        guard text.utf8.count <= ShotAnnotation.longestTitle else {
            throw reader.invalid(
                field, "has \(text.utf8.count) bytes; at most \(ShotAnnotation.longestTitle) are allowed")
        }
        return text.isEmpty ? nil : text
    }

    /// A request with this query, without limit and start.
    public var wire: WireListShots {
        var wire = WireListShots()
        if let since { wire.sinceRealtimeNs = since }
        if let until { wire.untilRealtimeNs = until }
        wire.devices = devices.map(\.description)
        wire.labels = labels
        wire.outcomes = outcomes.map(\.rawValue).sorted()
        wire.statuses = statuses.map(\.rawValue).sorted()
        wire.title = title ?? ""
        wire.text = text ?? ""
        wire.takes = isOfTakes
        wire.rejected = isRejected
        return wire
    }
}

extension ShotAnnotation {
    public init(wire: WireShotAnnotation) throws(WireError) {
        let reader = FieldReader("ShotAnnotation")
        self.init(title: wire.title, note: wire.note, rejected: try reader.devices(wire.rejected, "rejected"))
        if let problem { throw reader.invalid("title, note", "cannot be: \(problem)") }
    }

    public var wire: WireShotAnnotation {
        var wire = WireShotAnnotation()
        wire.title = title
        wire.note = note
        wire.rejected = rejected.map(\.wire)
        return wire
    }
}

extension FieldReader {
    fileprivate func devices(_ wire: [WireDeviceId], _ field: String) throws(WireError) -> [DeviceID] {
        try list(wire, field, limit: ShotAnnotation.mostRejected).map { (device) throws(WireError) in
            try DeviceID(wire: device)
        }
    }
}

extension ShotAnnotationEdit {
    /// Creates the edit without checking its texts. The code that stores them does.
    public init(wire: WireEditShot) throws(WireError) {
        let reader = FieldReader("EditShot")
        self.init(
            title: wire.hasTitle ? wire.title : nil, note: wire.hasNote ? wire.note : nil,
            reject: try reader.devices(wire.reject, "reject"), accept: try reader.devices(wire.accept, "accept"))
    }

    public func wire(of id: ShotID) -> WireEditShot {
        var wire = WireEditShot()
        wire.shotID = id.wire
        if let title { wire.title = title }
        if let note { wire.note = note }
        wire.reject = reject.map(\.wire)
        wire.accept = accept.map(\.wire)
        return wire
    }
}
