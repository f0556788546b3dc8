public import CaptureModel
public import RigProtocol

extension ShotAnnotation {
    public init(wire: WireShotAnnotation) throws(WireError) {
        self.init(title: wire.title, note: wire.note)
        if let problem { throw FieldReader("ShotAnnotation").invalid("title, note", "cannot be: \(problem)") }
    }

    public var wire: WireShotAnnotation {
        var wire = WireShotAnnotation()
        wire.title = title
        wire.note = note
        return wire
    }
}

extension ShotAnnotationEdit {
    /// Whether the texts may be stored is for whoever stores them to say.
    public init(wire: WireEditShot) {
        self.init(title: wire.hasTitle ? wire.title : nil, note: wire.hasNote ? wire.note : nil)
    }

    public func wire(of id: ShotID) -> WireEditShot {
        var wire = WireEditShot()
        wire.shotID = id.wire
        if let title { wire.title = title }
        if let note { wire.note = note }
        return wire
    }
}
