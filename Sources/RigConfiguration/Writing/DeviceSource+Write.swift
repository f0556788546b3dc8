import CaptureModel
import Yams

extension DeviceSource {
    func write(_ mapping: inout MappingBuilder) {
        switch self {
        case .v4l2(let source): mapping.add("v4l2") { source.write(&$0) }
        case .virtual(let source): mapping.add("virtual") { source.write(&$0) }
        case .file(let source): mapping.add("file") { source.write(&$0) }
        }
    }
}

extension V4L2Source {
    func write(_ mapping: inout MappingBuilder) {
        switch self {
        case .path(let path): mapping.add("path", text: path)
        case .bus(let bus): mapping.add("bus", text: bus)
        case .serial(let serial): mapping.add("serial", text: serial)
        }
    }
}

extension FileCameraConfiguration {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("path", text: path)
        mapping.add("framesPerSecond", plain: framesPerSecond)
        mapping.add("loop", plain: loop)
        mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
    }
}

extension VirtualCameraConfiguration {
    func write(_ mapping: inout MappingBuilder) {
        mapping.add("number", plain: number)
        mapping.add("width", plain: width)
        mapping.add("height", plain: height)
        mapping.add("framesPerSecond", plain: framesPerSecond)
        mapping.add("quality", plain: quality)
        mapping.add("seed", plain: seed)
        mapping.add("phaseMilliseconds", plain: phaseMilliseconds)
        mapping.add("jitterMilliseconds", plain: jitterMilliseconds)
        mapping.add("driftPPM", plain: driftPPM)
        mapping.add("exposureMilliseconds", plain: exposureMilliseconds)
        mapping.add("gainDecibels", plain: gainDecibels)
        mapping.add("readoutMilliseconds", plain: readoutMilliseconds)
        mapping.add("stampBoundMilliseconds", plain: stampBoundMilliseconds)
        mapping.add("startDelayMilliseconds", plain: startDelayMilliseconds)
        mapping.add("make", text: make)
        mapping.add("model", text: model)
        mapping.add("serial", text: serial)
        guard !faults.isEmpty else { return }
        mapping.add("faults", list: faults.map(\.node))
    }
}

extension VirtualFault {
    var node: Node {
        MappingBuilder.node { fault in
            fault.add("kind", plain: kind.rawValue)
            fault.add("fromFrame", plainIfPresent: fromFrame)
            fault.add("afterSeconds", plainIfPresent: afterSeconds)
            fault.add("count", plainIfPresent: count)
            fault.add("forSeconds", plainIfPresent: forSeconds)
            fault.add("every", plainIfPresent: every)
            fault.add("probability", plainIfPresent: probability)
            fault.add("delaySeconds", plainIfPresent: delaySeconds)
        }
    }
}
