import CaptureModel

extension DeviceSource {
    init?(_ mapping: YAMLMapping) {
        let v4l2 = mapping.value("v4l2")
        let virtual = mapping.value("virtual")
        let file = mapping.value("file")
        mapping.finish()
        switch (v4l2, virtual, file) {
        case (let value?, nil, nil):
            guard let source = value.mapping().flatMap({ V4L2Source($0) }) else { return nil }
            self = .v4l2(source)
        case (nil, let value?, nil):
            guard let source = value.mapping().map(VirtualCameraConfiguration.init) else { return nil }
            self = .virtual(source)
        case (nil, nil, let value?):
            guard let source = value.mapping().flatMap({ FileCameraConfiguration($0) }) else { return nil }
            self = .file(source)
        default:
            mapping.report(.badValue, "needs exactly one of 'v4l2', 'virtual' and 'file'")
            return nil
        }
    }
}

extension V4L2Source {
    init?(_ mapping: YAMLMapping) {
        let path = mapping.value("path")
        let bus = mapping.value("bus")
        let serial = mapping.value("serial")
        mapping.finish()
        switch (path, bus, serial) {
        case (let value?, nil, nil):
            guard let text = value.scalar(.absolutePath) else { return nil }
            self = .path(text)
        case (nil, let value?, nil):
            guard let text = value.scalar(.text(limit: 128)) else { return nil }
            self = .bus(text)
        case (nil, nil, let value?):
            guard let text = value.scalar(.text(limit: 128)) else { return nil }
            self = .serial(text)
        default:
            mapping.report(.badValue, "needs exactly one of 'path', 'bus' and 'serial'")
            return nil
        }
    }
}
